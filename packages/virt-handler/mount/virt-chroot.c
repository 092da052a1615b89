/*
 * virt-chroot: virt-handler's hands in the mount namespaces of launcher pods.
 *
 *   virt-chroot list-image   --source-pid PID
 *   virt-chroot mount-image  --source-pid PID [--source-path PATH] --target-dir-root DIR --target-name NAME
 *   virt-chroot mount-volume --source-pid PID --source-path PATH --target-dir-root DIR --target-name NAME [--uid --gid]
 *   virt-chroot make-device  --source-pid PID --source-path PATH --target-dir-root DIR --target-name NAME --uid --gid
 *   virt-chroot create-image --source-pid PID --source-path PATH --size BYTES --least BYTES [--uid --gid]
 *   virt-chroot umount       --target-dir-root DIR --target-name NAME
 *   virt-chroot chown-device --source-pid PID --source-path PATH --uid UID --gid GID
 *   virt-chroot chown-folder --source-pid PID --source-path PATH --uid UID --gid GID
 *   virt-chroot sysctl       --source-pid PID net/ipv4/ip_forward=1 ...
 *   virt-chroot run          --context CONTEXT -- PROGRAM [ARGUMENT ...]
 *
 * sysctl writes 1 to files below /proc/sys/net as the network namespace of the process sees them; run is for programs
 * whose work shall bear a SELinux context of its own, as taps do. What is made in a folder of a pod gets the SELinux
 * label of that folder, where it has one.
 *
 * PID names a process in a container; its root directory is the image. DIR lies in the mount namespace
 * that --node-mount-namespace names (the node's, by default) and is made by the kubelet; whatever is below
 * DIR or inside the image may have been made by a guest's owner, so no symbolic link is followed there and
 * no other mount is entered, but for those of volumes. NAME is `file` or `folder/file`.
 *
 * Why a program of its own: setns(CLONE_NEWNS) needs a single-threaded process, which Node is not.
 * Exit codes: 0 done (also when it was done before), 1 refused or failed (reason on stderr), 2 wrong usage,
 * 3 not enough space for an image, 4 no image and --size 0.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/openat2.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifndef OPEN_TREE_CLONE
#define OPEN_TREE_CLONE 1
#define OPEN_TREE_CLOEXEC O_CLOEXEC
#endif
#ifndef MOVE_MOUNT_F_EMPTY_PATH
#define MOVE_MOUNT_F_EMPTY_PATH 0x00000004
#define MOVE_MOUNT_T_EMPTY_PATH 0x00000040
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef MOUNT_ATTR_RDONLY
#define MOUNT_ATTR_RDONLY 0x00000001
#define MOUNT_ATTR_NOSUID 0x00000002
#define MOUNT_ATTR_NODEV 0x00000004
#define MOUNT_ATTR_NOEXEC 0x00000008
struct mount_attr {
  uint64_t attr_set, attr_clr, propagation, userns_fd;
};
#endif

enum { DONE = 0, FAILED = 1, USAGE = 2, NO_SPACE = 3, ABSENT = 4 };
enum { MEBIBYTE = 1024 * 1024 };

static const char DISK_DIRECTORY[] = "/disk";
static const char LABEL[] = "security.selinux";
static const char DEFAULT_EXEC_ATTRIBUTE[] = "/proc/self/attr/exec";
static const char DEFAULT_NODE_NAMESPACE[] = "/proc/1/ns/mnt";

struct options {
  const char *source_pid, *source_path, *target_root, *target_name, *node_namespace, *uid, *gid, *size, *least, *context, *exec_attribute;
  char **names;
};

static void fail(int code, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

static void fail(int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("virt-chroot: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(code);
}

static long number(const char *flag, const char *text) {
  char *end;
  errno = 0;
  long value = strtol(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || value < 0) fail(USAGE, "%s wants a number, not '%s'", flag, text);
  return value;
}

static const char *required(const char *flag, const char *value) {
  if (value == NULL) fail(USAGE, "%s is missing", flag);
  return value;
}

static int open_inside(int directory, const char *path, uint64_t flags, uint64_t resolve) {
  struct open_how how = {.flags = flags | O_CLOEXEC, .resolve = resolve};
  return (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
}

/* /proc/self/fd as this program's first namespace shows it: /proc of a container knows nothing of this process. */
static int own_files;

static void open_own_files(void) {
  own_files = open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (own_files < 0) fail(FAILED, "cannot open /proc/self/fd: %s", strerror(errno));
}

/* Gives what was made in a folder that folder's SELinux label, by descriptor. Where none is kept there is none to give. */
static void label_like(int folder, int file, const char *path) {
  char folder_name[16], file_name[16], wanted[4096], present[sizeof wanted];
  snprintf(folder_name, sizeof folder_name, "%d", folder);
  snprintf(file_name, sizeof file_name, "%d", file);
  if (fchdir(own_files) != 0) fail(FAILED, "cannot enter /proc/self/fd: %s", strerror(errno));
  ssize_t length = getxattr(folder_name, LABEL, wanted, sizeof wanted);
  if (length < 0 && (errno == ENODATA || errno == EOPNOTSUPP)) return;
  if (length < 0) fail(FAILED, "cannot read the label of the folder of %s: %s", path, strerror(errno));
  if (getxattr(file_name, LABEL, present, sizeof present) == length && memcmp(present, wanted, (size_t)length) == 0) return;
  if (setxattr(file_name, LABEL, wanted, (size_t)length, 0) != 0)
    fail(FAILED, "cannot label %s: %s", path, strerror(errno));
}

static int open_namespace(const char *path) {
  int namespace = open(path, O_RDONLY | O_CLOEXEC);
  if (namespace < 0) fail(FAILED, "cannot open the mount namespace %s: %s", path, strerror(errno));
  return namespace;
}

static void enter_namespace(int namespace) {
  if (setns(namespace, CLONE_NEWNS) != 0) fail(FAILED, "cannot enter a mount namespace: %s", strerror(errno));
  close(namespace);
}

/* Enters the container's mount namespace and answers its root directory. */
static int enter_container(const struct options *options) {
  char path[64];
  long pid = number("--source-pid", required("--source-pid", options->source_pid));
  snprintf(path, sizeof path, "/proc/%ld/root", pid);
  int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) fail(FAILED, "cannot open the root of process %ld: %s", pid, strerror(errno));
  snprintf(path, sizeof path, "/proc/%ld/ns/mnt", pid);
  enter_namespace(open_namespace(path));
  return root;
}

/* A path of the image. Links and other mounts (/proc, /dev, volumes) are not part of the image. */
static int open_in_image(int root, const char *path, uint64_t flags, uint64_t more) {
  int file = open_inside(root, path, flags, RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | more);
  if (file >= 0) return file;
  if (errno == ELOOP) fail(FAILED, "%s in the image leads through a symbolic link, which is refused", path);
  if (errno == EXDEV) fail(FAILED, "%s does not belong to the image but to another mount of its container", path);
  fail(FAILED, "cannot open %s in the image: %s", path, strerror(errno));
}

/* The only file under /disk of the image, as a path in static storage. */
static const char *only_disk(int root) {
  static char found[sizeof DISK_DIRECTORY + 1 + 256];
  int directory = open_in_image(root, DISK_DIRECTORY, O_RDONLY | O_DIRECTORY, RESOLVE_NO_XDEV);
  DIR *entries = fdopendir(directory);
  if (entries == NULL) fail(FAILED, "cannot list /disk of the image: %s", strerror(errno));
  found[0] = '\0';
  for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (found[0] != '\0') fail(FAILED, "more than one file under /disk of the image; name one in containerDisk.path");
    snprintf(found, sizeof found, "%s/%.255s", DISK_DIRECTORY, entry->d_name);
  }
  if (found[0] == '\0') fail(FAILED, "no file under /disk of the image; a container disk holds its image there");
  closedir(entries);
  return found;
}

static const char *disk_path(int root, const struct options *options) {
  return options->source_path != NULL ? options->source_path : only_disk(root);
}

static int open_disk(int root, const char *path) {
  struct stat status;
  int file = open_in_image(root, path, O_PATH, RESOLVE_NO_XDEV);
  if (fstat(file, &status) != 0) fail(FAILED, "cannot stat %s in the image: %s", path, strerror(errno));
  if (!S_ISREG(status.st_mode)) fail(FAILED, "%s in the image is not a regular file", path);
  return file;
}

/* A detached mount of the file or folder: nothing sees it until it is moved to its place. */
static int clone_mount(int file, const char *path, int read_only) {
  int tree = (int)syscall(SYS_open_tree, file, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
  if (tree < 0) fail(FAILED, "cannot clone the mount of %s: %s", path, strerror(errno));
  struct mount_attr attributes = {
      .attr_set = (read_only ? MOUNT_ATTR_RDONLY : 0) | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC};
  if (syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attributes, sizeof attributes) != 0)
    fail(FAILED, "cannot restrict the mount of %s: %s", path, strerror(errno));
  return tree;
}

static void check_element(const char *element, size_t length) {
  if (length == 0 || length > 255) fail(USAGE, "--target-name has an empty or over-long element");
  if (element[0] == '.' && (length == 1 || (length == 2 && element[1] == '.')))
    fail(USAGE, "--target-name may not contain . or ..");
}

static int open_target_root(const struct options *options, int node) {
  const char *path = required("--target-dir-root", options->target_root);
  enter_namespace(node);
  int root = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (root < 0) fail(FAILED, "cannot open the target directory %s: %s", path, strerror(errno));
  return root;
}

/* The folder that holds the target; makes `folder` of `folder/file` when `create` is set. -1: there is none. */
static int open_target_directory(int root, const char *name, int create, const char **leaf) {
  const char *slash = strchr(name, '/');
  *leaf = slash == NULL ? name : slash + 1;
  check_element(*leaf, strlen(*leaf));
  if (strchr(*leaf, '/') != NULL) fail(USAGE, "--target-name has more than one folder: %s", name);
  if (slash == NULL) return root;
  char folder[256];
  check_element(name, (size_t)(slash - name));
  snprintf(folder, sizeof folder, "%.*s", (int)(slash - name), name);
  if (create && mkdirat(root, folder, 0755) != 0 && errno != EEXIST)
    fail(FAILED, "cannot make the folder %s: %s", folder, strerror(errno));
  int directory = open_inside(root, folder, O_PATH | O_DIRECTORY | O_NOFOLLOW, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
  if (directory < 0 && errno == ENOENT && !create) return -1;
  if (directory < 0) fail(FAILED, "the folder %s of the target is not usable: %s", folder, strerror(errno));
  return directory;
}

static uint64_t mount_id(int descriptor) {
  struct statx status;
  if (statx(descriptor, "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT, STATX_MNT_ID, &status) != 0)
    fail(FAILED, "cannot tell the mount of a target: %s", strerror(errno));
  return status.stx_mnt_id;
}

/* Opens the target, following no link but crossing onto a mount that is there already. */
static int open_target(int directory, const char *leaf, struct stat *status) {
  int target = open_inside(directory, leaf, O_PATH | O_NOFOLLOW, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
  if (target < 0 && errno == ENOENT) return -1;
  if (target < 0) fail(FAILED, "the target %s is not usable: %s", leaf, strerror(errno));
  if (fstat(target, status) != 0) fail(FAILED, "cannot stat the target %s: %s", leaf, strerror(errno));
  if (!S_ISREG(status->st_mode) && !S_ISDIR(status->st_mode) && !S_ISBLK(status->st_mode))
    fail(FAILED, "the target %s is neither a regular file, a folder nor a block device", leaf);
  return target;
}

/* An empty file or folder to mount something of that kind at. */
static int create_target(int directory, const char *leaf, mode_t kind) {
  struct stat status;
  int created = kind == S_IFDIR ? mkdirat(directory, leaf, 0755) : mknodat(directory, leaf, S_IFREG | 0644, 0);
  if (created < 0 && errno != EEXIST) fail(FAILED, "cannot create the target %s: %s", leaf, strerror(errno));
  int target = open_target(directory, leaf, &status);
  if (target < 0) fail(FAILED, "the target %s vanished while it was being prepared", leaf);
  if ((status.st_mode & S_IFMT) != kind) fail(FAILED, "the target %s is of another kind than what it is for", leaf);
  return target;
}

static int same_file(int left, int right) {
  struct stat a, b;
  return fstat(left, &a) == 0 && fstat(right, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int list_image(const struct options *options) {
  int root = enter_container(options);
  const char *path = only_disk(root);
  close(open_disk(root, path));
  puts(path);
  return DONE;
}

/* Moves a detached mount of the given kind to its place on the node. What is there already must be the same. */
static int place(const struct options *options, int node, int tree, mode_t kind, const char *path) {
  const char *leaf;
  int directory = open_target_directory(open_target_root(options, node), options->target_name, 1, &leaf);
  int target = create_target(directory, leaf, kind);
  if (mount_id(target) != mount_id(directory)) {
    if (same_file(target, tree)) return DONE;
    fail(FAILED, "something else is mounted at %s already", options->target_name);
  }
  if (syscall(SYS_move_mount, tree, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0)
    fail(FAILED, "cannot mount %s at %s: %s", path, options->target_name, strerror(errno));
  return DONE;
}

static int mount_image(const struct options *options) {
  required("--target-name", options->target_name);
  // Opened first: a container's /proc shows another set of processes.
  int node = open_namespace(options->node_namespace);
  int root = enter_container(options);
  const char *path = disk_path(root, options);
  return place(options, node, clone_mount(open_disk(root, path), path, 1), S_IFREG, path);
}

static void give(int file, const struct options *options, const char *path) {
  if (options->uid == NULL) return;
  long uid = number("--uid", options->uid), gid = number("--gid", required("--gid", options->gid));
  if (fchownat(file, "", (uid_t)uid, (gid_t)gid, AT_EMPTY_PATH) != 0)
    fail(FAILED, "cannot give %s to user %ld: %s", path, uid, strerror(errno));
}

/* A file or folder of a volume of the container, which other containers may write too: so no link, wherever. */
static int mount_volume(const struct options *options) {
  struct stat status;
  const char *path = required("--source-path", options->source_path);
  required("--target-name", options->target_name);
  int node = open_namespace(options->node_namespace);
  int source = open_in_image(enter_container(options), path, O_PATH, 0);
  if (fstat(source, &status) != 0) fail(FAILED, "cannot stat %s: %s", path, strerror(errno));
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    fail(FAILED, "%s is neither a regular file nor a folder", path);
  give(source, options, path);
  return place(options, node, clone_mount(source, path, 0), status.st_mode & S_IFMT, path);
}

/* The only entry of a folder of devices, opened; the folder itself is closed. */
static int only_device(int folder, const char *path) {
  char found[256] = "";
  int list = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *entries = list < 0 ? NULL : fdopendir(list);
  if (entries == NULL) fail(FAILED, "cannot list %s: %s", path, strerror(errno));
  for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    if (found[0] != '\0') fail(FAILED, "more than one device below %s", path);
    snprintf(found, sizeof found, "%.255s", entry->d_name);
  }
  closedir(entries);
  if (found[0] == '\0') fail(FAILED, "no device below %s", path);
  int device = open_inside(folder, found, O_PATH | O_NOFOLLOW, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
  if (device < 0) fail(FAILED, "cannot open %s/%s: %s", path, found, strerror(errno));
  return device;
}

/* Makes the block device of a container known at another place, for its user alone; prints its numbers. */
static int make_device(const struct options *options) {
  struct stat status, present;
  const char *leaf, *path = required("--source-path", options->source_path);
  required("--target-name", options->target_name);
  required("--uid", options->uid);
  int node = open_namespace(options->node_namespace);
  int source = open_in_image(enter_container(options), path, O_PATH, 0);
  if (fstat(source, &status) == 0 && S_ISDIR(status.st_mode)) source = only_device(source, path);
  if (fstat(source, &status) != 0) fail(FAILED, "cannot stat %s: %s", path, strerror(errno));
  if (!S_ISBLK(status.st_mode)) fail(FAILED, "%s is not a block device", path);
  int directory = open_target_directory(open_target_root(options, node), options->target_name, 1, &leaf);
  if (mknodat(directory, leaf, S_IFBLK | 0600, status.st_rdev) != 0 && errno != EEXIST)
    fail(FAILED, "cannot make the device %s: %s", leaf, strerror(errno));
  int target = open_target(directory, leaf, &present);
  if (target < 0 || !S_ISBLK(present.st_mode) || present.st_rdev != status.st_rdev)
    fail(FAILED, "something else is at %s already", options->target_name);
  label_like(directory, target, leaf);
  give(target, options, leaf);
  printf("%u:%u\n", major(status.st_rdev), minor(status.st_rdev));
  return DONE;
}

/* The folder of a path in the container, and the path's last element. */
static int open_parent(int root, const char *path, const char **leaf) {
  char folder[4096];
  const char *slash = strrchr(path, '/');
  if (slash == NULL || strlen(path) >= sizeof folder) fail(USAGE, "--source-path is no absolute path: %s", path);
  snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
  *leaf = slash + 1;
  check_element(*leaf, strlen(*leaf));
  return open_in_image(root, folder, O_PATH | O_DIRECTORY, 0);
}

/* How large an image can be: as wanted where the space is there, else all of it in whole MiB, if that is enough. */
static long long fitting(int directory, long long wanted, long long least, const char *path) {
  struct statfs space;
  if (fstatfs(directory, &space) != 0) fail(FAILED, "cannot tell the space for %s: %s", path, strerror(errno));
  long long free = (long long)space.f_bavail * space.f_bsize;
  if (wanted <= free) return wanted;
  if (free < least) fail(NO_SPACE, "%s needs %lld bytes, at least %lld; the volume has %lld", path, wanted, least, free);
  return free / MEBIBYTE * MEBIBYTE;
}

/* Makes an empty image where there is none, without taking space for it, and gives it to the guest's user. */
static int create_image(const struct options *options) {
  struct stat status;
  const char *leaf, *path = required("--source-path", options->source_path);
  long wanted = number("--size", required("--size", options->size)), least = number("--least", required("--least", options->least));
  int directory = open_parent(enter_container(options), path, &leaf);
  int file = open_inside(directory, leaf, O_PATH | O_NOFOLLOW, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
  if (file < 0 && errno == ENOENT && wanted > 0) {
    long long size = fitting(directory, wanted, least, path);
    file = openat(directory, leaf, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0660);
    if (file < 0) fail(FAILED, "cannot create %s: %s", path, strerror(errno));
    if (ftruncate(file, size) != 0) fail(FAILED, "cannot make %s %lld bytes large: %s", path, size, strerror(errno));
    label_like(directory, file, path);
    printf("%lld\n", size);
  }
  if (file < 0) fail(errno == ENOENT ? ABSENT : FAILED, "cannot open %s: %s", path, strerror(errno));
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) fail(FAILED, "%s is not a regular file", path);
  give(file, options, path);
  return DONE;
}

/* Takes the mount away and then the empty file or folder under it, or a device. Nothing there is fine. */
static int unmount(const struct options *options) {
  struct stat status;
  const char *leaf;
  const char *name = required("--target-name", options->target_name);
  int node = open_namespace(options->node_namespace);
  int directory = open_target_directory(open_target_root(options, node), name, 0, &leaf);
  if (directory < 0) return DONE;
  int target = open_target(directory, leaf, &status);
  if (target < 0) return DONE;
  int mounted = mount_id(target) != mount_id(directory);
  close(target);
  if (fchdir(directory) != 0) fail(FAILED, "cannot enter the folder of %s: %s", name, strerror(errno));
  if (mounted && umount2(leaf, MNT_DETACH | UMOUNT_NOFOLLOW) != 0)
    fail(FAILED, "cannot unmount %s: %s", name, strerror(errno));
  if (unlinkat(AT_FDCWD, leaf, S_ISDIR(status.st_mode) ? AT_REMOVEDIR : 0) != 0 && errno != ENOENT) fail(FAILED, "cannot remove %s: %s", name, strerror(errno));
  return DONE;
}

/* Gives a file of the container to the guest's user. /dev and volumes are mounts of their own, so mounts are crossed. */
static int chown_inside(const struct options *options, int (*is_such)(mode_t), const char *kind) {
  struct stat status;
  required("--uid", options->uid);
  const char *path = required("--source-path", options->source_path);
  int file = open_in_image(enter_container(options), path, O_PATH, 0);
  if (fstat(file, &status) != 0) fail(FAILED, "cannot stat %s: %s", path, strerror(errno));
  if (!is_such(status.st_mode)) fail(FAILED, "%s is not a %s", path, kind);
  give(file, options, path);
  return DONE;
}

static int is_device(mode_t mode) { return S_ISCHR(mode) || S_ISBLK(mode); }
static int is_folder(mode_t mode) { return S_ISDIR(mode); }

static int chown_device(const struct options *options) { return chown_inside(options, is_device, "device"); }
/* The folder alone: what is in it is its user's already, or none of theirs. */
static int chown_folder(const struct options *options) { return chown_inside(options, is_folder, "folder"); }

static void write_setting(const char *setting) {
  char path[256], name[201];
  const char *equals = strchr(setting, '=');
  if (equals == NULL || (size_t)(equals - setting) >= sizeof name || equals[1 + strspn(equals + 1, "0123456789 ")] != '\0')
    fail(USAGE, "'%s' is not a name, = and numbers", setting);
  snprintf(name, sizeof name, "%.*s", (int)(equals - setting), setting);
  if (strncmp(name, "net/", 4) != 0 || strstr(name, "..") != NULL) fail(USAGE, "'%s' is not below net/", name);
  snprintf(path, sizeof path, "/proc/sys/%s", name);
  int file = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  size_t length = strlen(equals + 1);
  if (file < 0 || write(file, equals + 1, length) != (ssize_t)length)
    fail(FAILED, "cannot set %s: %s", setting, strerror(errno));
  close(file);
}

static int write_settings(const struct options *options) {
  char path[64];
  long pid = number("--source-pid", required("--source-pid", options->source_pid));
  snprintf(path, sizeof path, "/proc/%ld/ns/net", pid);
  int namespace = open(path, O_RDONLY | O_CLOEXEC);
  if (namespace < 0 || setns(namespace, CLONE_NEWNET) != 0)
    fail(FAILED, "cannot enter the network of process %ld: %s", pid, strerror(errno));
  for (char **name = options->names; *name != NULL; name++) write_setting(*name);
  return DONE;
}

/* The kernel takes the context for the next program that this process becomes. */
static int run_in_context(const struct options *options) {
  const char *context = required("--context", options->context);
  if (*options->names == NULL) fail(USAGE, "a program to run is missing");
  int attribute = open(options->exec_attribute, O_WRONLY | O_CLOEXEC);
  size_t length = strlen(context);
  if (attribute < 0 || write(attribute, context, length) != (ssize_t)length)
    fail(FAILED, "cannot take the context %s: %s", context, strerror(errno));
  close(attribute);
  execvp(*options->names, options->names);
  fail(FAILED, "cannot run %s: %s", *options->names, strerror(errno));
}

static struct options parse(int count, char **values) {
  static const struct option flags[] = {{"source-pid", required_argument, NULL, 'p'},
                                        {"source-path", required_argument, NULL, 's'},
                                        {"target-dir-root", required_argument, NULL, 'd'},
                                        {"target-name", required_argument, NULL, 'n'},
                                        {"node-mount-namespace", required_argument, NULL, 'm'},
                                        {"uid", required_argument, NULL, 'u'},
                                        {"gid", required_argument, NULL, 'g'},
                                        {"size", required_argument, NULL, 'z'},
                                        {"least", required_argument, NULL, 'l'},
                                        {"context", required_argument, NULL, 'c'},
                                        {"exec-attribute", required_argument, NULL, 'e'},
                                        {NULL, 0, NULL, 0}};
  struct options options = {.node_namespace = DEFAULT_NODE_NAMESPACE, .exec_attribute = DEFAULT_EXEC_ATTRIBUTE};
  for (int flag; (flag = getopt_long(count, values, "", flags, NULL)) != -1;) {
    if (flag == 'p') options.source_pid = optarg;
    else if (flag == 's') options.source_path = optarg;
    else if (flag == 'd') options.target_root = optarg;
    else if (flag == 'n') options.target_name = optarg;
    else if (flag == 'm') options.node_namespace = optarg;
    else if (flag == 'u') options.uid = optarg;
    else if (flag == 'g') options.gid = optarg;
    else if (flag == 'z') options.size = optarg;
    else if (flag == 'l') options.least = optarg;
    else if (flag == 'c') options.context = optarg;
    else if (flag == 'e') options.exec_attribute = optarg;
    else exit(USAGE);
  }
  options.names = values + optind;
  return options;
}

int main(int count, char **values) {
  static const struct {
    const char *name;
    int (*run)(const struct options *);
    int takes_names;
  } commands[] = {{"list-image", list_image, 0},
                  {"mount-image", mount_image, 0},
                  {"mount-volume", mount_volume, 0},
                  {"make-device", make_device, 0},
                  {"create-image", create_image, 0},
                  {"umount", unmount, 0},
                  {"chown-device", chown_device, 0},
                  {"chown-folder", chown_folder, 0},
                  {"sysctl", write_settings, 1},
                  {"run", run_in_context, 1}};
  if (count < 2) fail(USAGE, "a command is missing: mount-image, mount-volume, make-device, create-image, umount, ...");
  struct options options = parse(count - 1, values + 1);
  open_own_files();
  for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
    if (strcmp(values[1], commands[i].name) != 0) continue;
    if (!commands[i].takes_names && *options.names != NULL) fail(USAGE, "unexpected argument: %s", *options.names);
    return commands[i].run(&options);
  }
  fail(USAGE, "unknown command: %s", values[1]);
}
