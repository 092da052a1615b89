export const group = 'subresources.kubevirt.io'
export const versions = ['v1', 'v1alpha3'] as const

const vmiSubresources = [
  'vnc',
  'vnc/screenshot',
  'console',
  'portforward',
  'backup',
  'redefine-checkpoint',
  'pause',
  'unpause',
  'freeze',
  'unfreeze',
  'reset',
  'softreboot',
  'guestosinfo',
  'userlist',
  'filesystemlist',
  'addvolume',
  'removevolume',
  'objectgraph',
  'sev/fetchcertchain',
  'sev/querylaunchmeasurement',
  'sev/setupsession',
  'sev/injectlaunchsecret',
  'evacuate/cancel',
]

const vmSubresources = ['start', 'stop', 'restart', 'migrate', 'expand-spec', 'objectgraph', 'evacuate/cancel']

/** All that is served below the group, as `/apis/<group>/<version>` lists it. */
export const resourceList = (version: string) => ({
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: `${group}/${version}`,
  resources: [
    'expand-vm-spec',
    ...vmiSubresources.map((name) => `virtualmachineinstances/${name}`),
    ...vmSubresources.map((name) => `virtualmachines/${name}`),
  ].map((name) => ({ name, singularName: '', namespaced: true, kind: '', verbs: null })),
})

/** The group's own document. Its name lacks an s; clients have seen it so since the first release. */
export const apiGroup = {
  kind: 'APIGroup',
  apiVersion: 'v1',
  name: 'subresource.kubevirt.io',
  versions: versions.map((version) => ({ groupVersion: `${group}/${version}`, version })),
  preferredVersion: { groupVersion: `${group}/${versions[0]}`, version: versions[0] },
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '' }],
}

export const apiGroupList = { kind: 'APIGroupList', apiVersion: 'v1', groups: [apiGroup] }

export const rootPaths = {
  paths: ['/apis', '/openapi/v2', ...versions.flatMap((version) => [`/apis/${group}`, `/apis/${group}/${version}`])],
}
