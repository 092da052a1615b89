import koffi from 'koffi'

/**
 * libvirt's client library, loaded at first use.
 * Why native: a `virsh` process per call would hide libvirt's error codes and could not deliver events.
 * Safe because: pointers live only inside `LibvirtConnection` and `LibvirtDomain`, which free each once and refuse
 * calls afterwards; strings that libvirt allocates are copied and freed by koffi; callbacks are kept registered for as
 * long as libvirt may call them; what a callback is given is used during the call only.
 */
export function library(): Library {
  return (loaded ??= load())
}

export type Pointer = unknown
export type Library = ReturnType<typeof load>
let loaded: Library | undefined

function load() {
  const lib = koffi.load('libvirt.so.0')
  const libc = koffi.load('libc.so.6')
  koffi.opaque('virConnect')
  koffi.opaque('virDomain')
  koffi.opaque('virStream')
  koffi.disposable('AllocatedString', 'str', libc.func('void free(void *pointer)'))
  // The fields behind `message` are never read.
  const error = koffi.struct('virErrorHead', { code: 'int', domain: 'int', message: 'str' })
  const prototypes = callbackPrototypes()
  return {
    error,
    prototypes,
    setErrorFunc: lib.func('void virSetErrorFunc(void *userData, virErrorFunc *handler)'),
    connectionError: lib.func('virErrorHead *virConnGetLastError(virConnect *conn)'),

    eventRegisterDefaultImpl: lib.func('int virEventRegisterDefaultImpl()'),
    eventRunDefaultImpl: lib.func('int virEventRunDefaultImpl()'),
    eventAddTimeout: lib.func('int virEventAddTimeout(int ms, virEventTimeoutCallback *cb, void *opaque, void *free)'),
    eventUpdateTimeout: lib.func('void virEventUpdateTimeout(int timer, int ms)'),

    open: lib.func('virConnect *virConnectOpen(const char *uri)'),
    close: lib.func('int virConnectClose(virConnect *conn)'),
    setKeepAlive: lib.func('int virConnectSetKeepAlive(virConnect *conn, int interval, unsigned int count)'),
    registerCloseCallback: lib.func(
      'int virConnectRegisterCloseCallback(virConnect *conn, virConnectCloseFunc *cb, void *opaque, void *free)',
    ),
    unregisterCloseCallback: lib.func(
      'int virConnectUnregisterCloseCallback(virConnect *conn, virConnectCloseFunc *cb)',
    ),
    registerEvent: lib.func(
      'int virConnectDomainEventRegisterAny(virConnect *conn, virDomain *dom, int id, void *cb, void *opaque, void *free)',
    ),
    deregisterEvent: lib.func('int virConnectDomainEventDeregisterAny(virConnect *conn, int callbackId)'),
    capabilities: lib.func('AllocatedString virConnectGetCapabilities(virConnect *conn)'),
    domainCapabilities: lib.func(
      'AllocatedString virConnectGetDomainCapabilities(virConnect *conn, const char *emulator, const char *arch, const char *machine, const char *virttype, unsigned int flags)',
    ),
    version: lib.func('int virConnectGetVersion(virConnect *conn, _Out_ unsigned long *version)'),
    libvirtVersion: lib.func('int virConnectGetLibVersion(virConnect *conn, _Out_ unsigned long *version)'),

    lookupByName: lib.func('virDomain *virDomainLookupByName(virConnect *conn, const char *name)'),
    defineXml: lib.func('virDomain *virDomainDefineXML(virConnect *conn, const char *xml)'),
    free: lib.func('int virDomainFree(virDomain *dom)'),
    name: lib.func('const char *virDomainGetName(virDomain *dom)'),
    create: lib.func('int virDomainCreateWithFlags(virDomain *dom, unsigned int flags)'),
    shutdown: lib.func('int virDomainShutdownFlags(virDomain *dom, unsigned int flags)'),
    destroy: lib.func('int virDomainDestroyFlags(virDomain *dom, unsigned int flags)'),
    undefine: lib.func('int virDomainUndefineFlags(virDomain *dom, unsigned int flags)'),
    suspend: lib.func('int virDomainSuspend(virDomain *dom)'),
    resume: lib.func('int virDomainResume(virDomain *dom)'),
    reset: lib.func('int virDomainReset(virDomain *dom, unsigned int flags)'),
    reboot: lib.func('int virDomainReboot(virDomain *dom, unsigned int flags)'),
    state: lib.func('int virDomainGetState(virDomain *dom, _Out_ int *state, _Out_ int *reason, unsigned int flags)'),
    info: lib.func('int virDomainGetInfo(virDomain *dom, _Out_ virDomainInfo *info)'),
    xml: lib.func('AllocatedString virDomainGetXMLDesc(virDomain *dom, unsigned int flags)'),
    setMetadata: lib.func(
      'int virDomainSetMetadata(virDomain *dom, int type, const char *metadata, const char *key, const char *uri, unsigned int flags)',
    ),
    metadata: lib.func(
      'AllocatedString virDomainGetMetadata(virDomain *dom, int type, const char *uri, unsigned int flags)',
    ),
    setTime: lib.func(
      'int virDomainSetTime(virDomain *dom, long long seconds, unsigned int nanoseconds, unsigned int flags)',
    ),
    attachDevice: lib.func('int virDomainAttachDeviceFlags(virDomain *dom, const char *xml, unsigned int flags)'),
    detachDevice: lib.func('int virDomainDetachDeviceFlags(virDomain *dom, const char *xml, unsigned int flags)'),
    updateDevice: lib.func('int virDomainUpdateDeviceFlags(virDomain *dom, const char *xml, unsigned int flags)'),
    blockResize: lib.func(
      'int virDomainBlockResize(virDomain *dom, const char *disk, unsigned long long size, unsigned int flags)',
    ),
    setVcpus: lib.func('int virDomainSetVcpusFlags(virDomain *dom, unsigned int count, unsigned int flags)'),
    coreDump: lib.func(
      'int virDomainCoreDumpWithFormat(virDomain *dom, const char *to, unsigned int format, unsigned int flags)',
    ),
    setUserPassword: lib.func(
      'int virDomainSetUserPassword(virDomain *dom, const char *user, const char *password, unsigned int flags)',
    ),
    startDirtyRate: lib.func('int virDomainStartDirtyRateCalc(virDomain *dom, int seconds, unsigned int flags)'),
    listStats: lib.func(
      'int virDomainListGetStats(virDomain **doms, unsigned int stats, _Out_ void **records, unsigned int flags)',
    ),
    freeStats: lib.func('void virDomainStatsRecordListFree(void *records)'),
    screenshot: lib.func(
      'AllocatedString virDomainScreenshot(virDomain *dom, virStream *stream, unsigned int screen, unsigned int flags)',
    ),
    newStream: lib.func('virStream *virStreamNew(virConnect *conn, unsigned int flags)'),
    receive: lib.func('int virStreamRecv(virStream *stream, void *data, size_t length)'),
    finishStream: lib.func('int virStreamFinish(virStream *stream)'),
    abortStream: lib.func('int virStreamAbort(virStream *stream)'),
    freeStream: lib.func('int virStreamFree(virStream *stream)'),
    isAlive: lib.func('int virConnectIsAlive(virConnect *conn)'),
    // The steps of a migration are private to libvirt's own programs, though exported; see decision 19.
    migrateBegin: lib.func(
      'AllocatedString virDomainMigrateBegin3Params(virDomain *dom, void *params, int nparams, _Out_ void **cookie, _Out_ int *length, unsigned int flags)',
    ),
    migratePrepare: lib.func(
      'int virDomainMigratePrepare3Params(virConnect *conn, void *params, int nparams, const void *cookie, int length, _Out_ void **cookieOut, _Out_ int *lengthOut, _Out_ void **uri, unsigned int flags)',
    ),
    migratePerform: lib.func(
      'int virDomainMigratePerform3Params(virDomain *dom, const char *dconnuri, void *params, int nparams, const void *cookie, int length, _Out_ void **cookieOut, _Out_ int *lengthOut, unsigned int flags)',
    ),
    migrateFinish: lib.func(
      'virDomain *virDomainMigrateFinish3Params(virConnect *conn, void *params, int nparams, const void *cookie, int length, _Out_ void **cookieOut, _Out_ int *lengthOut, unsigned int flags, int cancelled)',
    ),
    migrateConfirm: lib.func(
      'int virDomainMigrateConfirm3Params(virDomain *dom, void *params, int nparams, const void *cookie, int length, unsigned int flags, int cancelled)',
    ),
    freeMemory: libc.func('void free(void *memory)'),
    startPostCopy: lib.func('int virDomainMigrateStartPostCopy(virDomain *dom, unsigned int flags)'),
    setMaxDowntime: lib.func(
      'int virDomainMigrateSetMaxDowntime(virDomain *dom, unsigned long long downtime, unsigned int flags)',
    ),
    jobInfo: lib.func('int virDomainGetJobInfo(virDomain *dom, _Out_ virDomainJobInfo *info)'),
    jobStats: lib.func(
      'int virDomainGetJobStats(virDomain *dom, _Out_ int *type, _Out_ void **params, _Out_ int *nparams, unsigned int flags)',
    ),
    abortJob: lib.func('int virDomainAbortJob(virDomain *dom)'),
    addString: lib.func(
      'int virTypedParamsAddString(_Inout_ void **params, _Inout_ int *nparams, _Inout_ int *max, const char *name, const char *value)',
    ),
    addNumber: lib.func(
      'int virTypedParamsAddULLong(_Inout_ void **params, _Inout_ int *nparams, _Inout_ int *max, const char *name, unsigned long long value)',
    ),
    addInt: lib.func(
      'int virTypedParamsAddInt(_Inout_ void **params, _Inout_ int *nparams, _Inout_ int *max, const char *name, int value)',
    ),
    freeParams: lib.func('void virTypedParamsFree(void *params, int nparams)'),
    agentCommand: lazily(() =>
      koffi
        .load('libvirt-qemu.so.0')
        .func(
          'AllocatedString virDomainQemuAgentCommand(virDomain *dom, const char *cmd, int timeout, unsigned int flags)',
        ),
    ),
  }
}

function callbackPrototypes() {
  koffi.struct('virDomainInfo', {
    state: 'uchar',
    maxMem: 'ulong',
    memory: 'ulong',
    nrVirtCpu: 'ushort',
    cpuTime: 'uint64',
  })
  koffi.struct('virDomainJobInfo', {
    type: 'int',
    timeElapsed: 'uint64',
    timeRemaining: 'uint64',
    dataTotal: 'uint64',
    dataProcessed: 'uint64',
    dataRemaining: 'uint64',
    memTotal: 'uint64',
    memProcessed: 'uint64',
    memRemaining: 'uint64',
    fileTotal: 'uint64',
    fileProcessed: 'uint64',
    fileRemaining: 'uint64',
  })
  const proto = (declaration: string) => koffi.pointer(koffi.proto(declaration))
  return {
    error: proto('void virErrorFunc(void *userData, virErrorHead *error)'),
    timeout: proto('void virEventTimeoutCallback(int timer, void *opaque)'),
    close: proto('void virConnectCloseFunc(virConnect *conn, int reason, void *opaque)'),
    plain: proto('int virEventPlain(virConnect *conn, virDomain *dom, void *opaque)'),
    lifecycle: proto('int virEventLifecycle(virConnect *conn, virDomain *dom, int event, int detail, void *opaque)'),
    ioError: proto(
      'int virEventIOError(virConnect *conn, virDomain *dom, const char *path, const char *alias, int action, const char *reason, void *opaque)',
    ),
    metadata: proto('int virEventMetadata(virConnect *conn, virDomain *dom, int type, const char *uri, void *opaque)'),
    device: proto('int virEventDevice(virConnect *conn, virDomain *dom, const char *alias, void *opaque)'),
  }
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
