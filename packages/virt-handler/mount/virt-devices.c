/*
 * virt-devices: lets the container of a process use a block device, or no longer.
 *
 *   virt-devices allow --pid PID --device MAJOR:MINOR [--folder DIR] [--node-mount-namespace FILE]
 *   virt-devices deny  ...
 *
 * Control groups of version 1 have a list of rules, which is written to. Those of version 2 have a program that
 * answers for every device; it cannot be read, so a new one takes its place. It allows what every container may use,
 * the device nodes below the container's /dev, which the runtime made, and below its folder DIR, which virt-handler
 * made (a container without CAP_MKNOD can make none), and the device of an `allow`, but never that of a `deny`.
 *
 * Exit codes: 0 done, 1 failed (reason on stderr), 2 wrong usage.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/bpf.h>
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { DONE = 0, FAILED = 1, USAGE = 2 };
enum { MOST_RULES = 512, ANY = -1 };

/* The controller of version 1; a test names one that no kernel has, to see version 2 where both are there. */
#ifndef FIRST_VERSION
#define FIRST_VERSION "devices"
#endif

struct options {
  const char *pid, *device, *folder, *node_namespace;
};

struct device {
  int type;
  long major, minor;
};

static struct device rules[MOST_RULES];
static int rule_count;

static void fail(int code, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

static void fail(int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("virt-devices: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(code);
}

static void add(int type, long major_number, long minor_number) {
  if (rule_count == MOST_RULES) fail(FAILED, "the container has more than %d devices", MOST_RULES);
  rules[rule_count++] = (struct device){type, major_number, minor_number};
}

/* The group of the process in the hierarchy whose controllers are `wanted` ("" is version 2); 0 where there is none. */
static int group_of(const char *pid, const char *wanted, char *group, size_t size) {
  char path[64], line[4096];
  snprintf(path, sizeof path, "/proc/%s/cgroup", pid);
  FILE *groups = fopen(path, "re");
  if (groups == NULL) fail(FAILED, "cannot read the groups of process %s: %s", pid, strerror(errno));
  int found = 0;
  while (!found && fgets(line, sizeof line, groups) != NULL) {
    char *controllers = strchr(line, ':');
    char *name = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (name == NULL) continue;
    *name++ = '\0';
    name[strcspn(name, "\n")] = '\0';
    found = strcmp(controllers + 1, wanted) == 0;
    if (found) snprintf(group, size, "%s", name);
  }
  fclose(groups);
  return found;
}

static void enter_node(const struct options *options) {
  int namespace = open(options->node_namespace, O_RDONLY | O_CLOEXEC);
  if (namespace < 0 || setns(namespace, CLONE_NEWNS) != 0)
    fail(FAILED, "cannot enter the mount namespace %s: %s", options->node_namespace, strerror(errno));
  close(namespace);
}

static void write_rule(const char *group, const char *file, const struct device *device) {
  char path[4096], text[64];
  snprintf(path, sizeof path, "/sys/fs/cgroup/devices%s/%s", group, file);
  snprintf(text, sizeof text, "b %ld:%ld rwm", device->major, device->minor);
  int list = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (list < 0 || write(list, text, strlen(text)) != (ssize_t)strlen(text))
    fail(FAILED, "cannot write a rule to %s: %s", path, strerror(errno));
  close(list);
}

static void add_nodes_below(int folder, int depth) {
  DIR *entries = fdopendir(folder);
  if (entries == NULL) return;
  for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
    struct stat status;
    if (entry->d_name[0] == '.' || fstatat(dirfd(entries), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISCHR(status.st_mode)) add(BPF_DEVCG_DEV_CHAR, major(status.st_rdev), minor(status.st_rdev));
    if (S_ISBLK(status.st_mode)) add(BPF_DEVCG_DEV_BLOCK, major(status.st_rdev), minor(status.st_rdev));
    if (!S_ISDIR(status.st_mode) || depth == 0 || strcmp(entry->d_name, "pts") == 0) continue;
    int below = openat(dirfd(entries), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (below >= 0) add_nodes_below(below, depth - 1);
  }
  closedir(entries);
}

static void add_nodes_of(const char *pid, const char *folder, int depth) {
  char path[4096];
  snprintf(path, sizeof path, "/proc/%s/root%s", pid, folder);
  int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (directory >= 0) add_nodes_below(directory, depth);
}

/* Terminals, and the nodes that a container runtime gives to all. */
static void add_defaults(void) {
  static const struct device common[] = {{BPF_DEVCG_DEV_CHAR, 1, 3}, {BPF_DEVCG_DEV_CHAR, 1, 5}, {BPF_DEVCG_DEV_CHAR, 1, 7},
                                         {BPF_DEVCG_DEV_CHAR, 1, 8}, {BPF_DEVCG_DEV_CHAR, 1, 9}, {BPF_DEVCG_DEV_CHAR, 5, 0},
                                         {BPF_DEVCG_DEV_CHAR, 5, 1}, {BPF_DEVCG_DEV_CHAR, 5, 2}, {BPF_DEVCG_DEV_CHAR, 136, ANY},
                                         {BPF_DEVCG_DEV_CHAR, 10, 200}};
  for (size_t i = 0; i < sizeof common / sizeof common[0]; i++) add(common[i].type, common[i].major, common[i].minor);
}

#define INSTRUCTION(op, to, from, offset, value) \
  ((struct bpf_insn){.code = (op), .dst_reg = (to), .src_reg = (from), .off = (offset), .imm = (value)})
#define LOAD(to, field) INSTRUCTION(BPF_LDX | BPF_MEM | BPF_W, to, BPF_REG_1, offsetof(struct bpf_cgroup_dev_ctx, field), 0)
#define RETURN(value) \
  INSTRUCTION(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, value), INSTRUCTION(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)
#define SKIP_UNLESS(reg, value, count) INSTRUCTION(BPF_JMP | BPF_JNE | BPF_K, reg, 0, count, (int)(value))

static int assemble(struct bpf_insn *program, const struct device *denied) {
  int n = 0;
#define EMIT(...) do { struct bpf_insn next[] = {__VA_ARGS__}; \
    memcpy(program + n, next, sizeof next); n += (int)(sizeof next / sizeof next[0]); } while (0)
  EMIT(LOAD(BPF_REG_2, access_type), LOAD(BPF_REG_4, major), LOAD(BPF_REG_5, minor),
       INSTRUCTION(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_3, BPF_REG_2, 0, 0),
       INSTRUCTION(BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_3, 0, 0, 16),
       INSTRUCTION(BPF_ALU64 | BPF_AND | BPF_K, BPF_REG_2, 0, 0, 0xffff));
  // To make a node is no access to its device; capabilities decide who may.
  EMIT(SKIP_UNLESS(BPF_REG_3, BPF_DEVCG_ACC_MKNOD, 2), RETURN(1));
  for (int i = 0; i < rule_count; i++) {
    const struct device *rule = &rules[i];
    if (denied != NULL && rule->type == denied->type && rule->major == denied->major && rule->minor == denied->minor) continue;
    int minor_too = rule->minor != ANY;
    EMIT(SKIP_UNLESS(BPF_REG_2, rule->type, 3 + minor_too), SKIP_UNLESS(BPF_REG_4, rule->major, 2 + minor_too));
    if (minor_too) EMIT(SKIP_UNLESS(BPF_REG_5, rule->minor, 2));
    EMIT(RETURN(1));
  }
  EMIT(RETURN(0));
  return n;
}

static int bpf(int command, union bpf_attr *attributes) {
  return (int)syscall(SYS_bpf, command, attributes, sizeof *attributes);
}

static int load(const struct device *denied) {
  static struct bpf_insn program[16 + MOST_RULES * 5];
  union bpf_attr attributes = {0};
  attributes.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE;
  attributes.insn_cnt = (uint32_t)assemble(program, denied);
  attributes.insns = (uint64_t)(uintptr_t)program;
  attributes.license = (uint64_t)(uintptr_t)"Apache-2.0";
  int loaded = bpf(BPF_PROG_LOAD, &attributes);
  if (loaded < 0) fail(FAILED, "the kernel did not take the program for devices: %s", strerror(errno));
  return loaded;
}

static void change_program(int command, int group, int program, uint32_t flags) {
  union bpf_attr attributes = {0};
  attributes.target_fd = (uint32_t)group;
  attributes.attach_bpf_fd = (uint32_t)program;
  attributes.attach_type = BPF_CGROUP_DEVICE;
  attributes.attach_flags = flags;
  if (bpf(command, &attributes) != 0) fail(FAILED, "the program for devices could not be exchanged: %s", strerror(errno));
}

/* All programs of a group must agree, so the old ones go once the new one is there. */
static void exchange_program(const char *name, const struct device *denied) {
  char path[4096];
  snprintf(path, sizeof path, "%s%s", access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/unified", name);
  int group = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (group < 0) fail(FAILED, "cannot open the group %s: %s", path, strerror(errno));
  uint32_t old[64];
  union bpf_attr query = {0};
  query.query.target_fd = (uint32_t)group;
  query.query.attach_type = BPF_CGROUP_DEVICE;
  query.query.prog_ids = (uint64_t)(uintptr_t)old;
  query.query.prog_cnt = 64;
  if (bpf(BPF_PROG_QUERY, &query) != 0) fail(FAILED, "cannot ask for the programs of %s: %s", path, strerror(errno));
  change_program(BPF_PROG_ATTACH, group, load(denied), BPF_F_ALLOW_MULTI);
  for (uint32_t i = 0; i < query.query.prog_cnt; i++) {
    union bpf_attr by_id = {0};
    by_id.prog_id = old[i];
    int program = bpf(BPF_PROG_GET_FD_BY_ID, &by_id);
    if (program < 0) fail(FAILED, "cannot open a program of %s: %s", path, strerror(errno));
    change_program(BPF_PROG_DETACH, group, program, 0);
    close(program);
  }
}

static struct device parse_device(const char *text) {
  struct device device = {BPF_DEVCG_DEV_BLOCK, 0, 0};
  char more;
  if (text == NULL || sscanf(text, "%ld:%ld%c", &device.major, &device.minor, &more) != 2 || device.major < 0 || device.minor < 0)
    fail(USAGE, "--device wants MAJOR:MINOR, not '%s'", text == NULL ? "" : text);
  return device;
}

int main(int count, char **values) {
  static const struct option flags[] = {{"pid", required_argument, NULL, 'p'},
                                        {"device", required_argument, NULL, 'd'},
                                        {"folder", required_argument, NULL, 'f'},
                                        {"node-mount-namespace", required_argument, NULL, 'm'},
                                        {NULL, 0, NULL, 0}};
  struct options options = {.node_namespace = "/proc/1/ns/mnt"};
  for (int flag; (flag = getopt_long(count, values, "", flags, NULL)) != -1;) {
    if (flag == 'p') options.pid = optarg;
    else if (flag == 'd') options.device = optarg;
    else if (flag == 'f') options.folder = optarg;
    else if (flag == 'm') options.node_namespace = optarg;
    else exit(USAGE);
  }
  const char *command = optind + 1 == count ? values[optind] : "";
  int allow = strcmp(command, "allow") == 0;
  if (!allow && strcmp(command, "deny") != 0) fail(USAGE, "the command is allow or deny");
  if (options.pid == NULL || options.pid[strspn(options.pid, "0123456789")] != '\0') fail(USAGE, "--pid wants a number");
  struct device device = parse_device(options.device);
  char group[3072];
  int first_version = group_of(options.pid, FIRST_VERSION, group, sizeof group);
  if (!first_version) {
    if (!group_of(options.pid, "", group, sizeof group)) fail(FAILED, "process %s is in no group for devices", options.pid);
    add_defaults();
    /* As deep as /dev/bus/usb/001. */
    add_nodes_of(options.pid, "/dev", 3);
    if (options.folder != NULL) add_nodes_of(options.pid, options.folder, 0);
    if (allow) add(device.type, device.major, device.minor);
  }
  enter_node(&options);
  if (first_version) write_rule(group, allow ? "devices.allow" : "devices.deny", &device);
  else exchange_program(group, allow ? NULL : &device);
  return DONE;
}
