/*
 * PID 1 of a guest's compute container.
 *
 * Starts /usr/bin/virt-launcher with its own arguments, passes INT, TERM and QUIT on to it as TERM, and reaps
 * every process that is orphaned here; QEMU is one of them. When the launcher is gone it ends a QEMU that is still
 * there, tells the containers that serve disks to stop by removing their sockets, and exits as the launcher did.
 *
 * A C program and not part of the launcher, because it waits for the whole life of the guest: this costs a few
 * hundred kilobytes, a second Node would cost thirty megabytes.
 *
 * Its own options: --container-disk-dir DIR, --keep-after-failure (not passed on: blocks after a failure, so that
 * somebody can look at the pod).
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef LAUNCHER
#define LAUNCHER "/usr/bin/virt-launcher"
#endif
#ifndef PRIVATE_DIR
#define PRIVATE_DIR "/var/run/kubevirt-private"
#endif
#define SIGNALLED_DIR PRIVATE_DIR "/signalled"
#ifndef QEMU_GRACE_SECONDS
#define QEMU_GRACE_SECONDS 10
#endif
#ifndef ISTIO_PORT
#define ISTIO_PORT 15020
#endif

enum { LOG_TAIL_BYTES = 64 * 1024 };

/* One line of JSON, as the launcher writes them. The message has no character that JSON would have to escape. */
static void say(const char *level, const char *format, ...) {
  char message[512], stamp[32];
  struct timespec now;
  struct tm utc;
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  for (char *c = message; *c; c++)
    if (*c == '"' || *c == '\\' || iscntrl((unsigned char)*c)) *c = '\'';
  clock_gettime(CLOCK_REALTIME, &now);
  gmtime_r(&now.tv_sec, &utc);
  strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &utc);
  dprintf(STDERR_FILENO, "{\"level\":\"%s\",\"timestamp\":\"%s.%03ldZ\",\"component\":\"virt-launcher-monitor\",\"msg\":\"%s\"}\n",
          level, stamp, now.tv_nsec / 1000000, message);
}

static const char *option(int argc, char **argv, const char *name) {
  size_t length = strlen(name);
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], name) == 0 && i + 1 < argc) return argv[i + 1];
    if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=') return argv[i] + length + 1;
  }
  return NULL;
}

static bool flag(int argc, char **argv, const char *name) {
  for (int i = 1; i < argc; i++)
    if (strcmp(argv[i], name) == 0) return true;
  const char *value = option(argc, argv, name);
  return value && strcmp(value, "false") != 0;
}

/*
 * Whoever waits for the end of this container (guest-console-log does) waits for this lock. It is taken before the
 * file gets its name, so nobody can find it free while this process lives.
 */
static void hold_compute_lock(void) {
  int fd = open(PRIVATE_DIR "/.compute.lock", O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 || rename(PRIVATE_DIR "/.compute.lock", PRIVATE_DIR "/compute.lock") < 0)
    say("warning", "cannot hold %s/compute.lock: %s", PRIVATE_DIR, strerror(errno));
}

/* DHCP is served from port 67, which a launcher that is not root may only open with this capability. */
static void raise_net_bind_service(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  if (syscall(SYS_capget, &header, data) == 0) {
    data[0].inheritable |= data[0].permitted & (1u << CAP_NET_BIND_SERVICE);
    syscall(SYS_capset, &header, data);
  }
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_BIND_SERVICE, 0, 0) < 0)
    say("warning", "no capability NET_BIND_SERVICE, guests will get no address by DHCP: %s", strerror(errno));
}

static void run_launcher(int argc, char **argv, const sigset_t *before) {
  char **args = calloc(argc + 1, sizeof *args);
  int n = 0;
  args[n++] = LAUNCHER;
  for (int i = 1; i < argc; i++)
    if (strncmp(argv[i], "--keep-after-failure", strlen("--keep-after-failure")) != 0) args[n++] = argv[i];
  sigprocmask(SIG_SETMASK, before, NULL);
  raise_net_bind_service();
  execv(LAUNCHER, args);
  say("fatal", "cannot start %s: %s", LAUNCHER, strerror(errno));
  _exit(127);
}

/* The name in /proc/PID/stat and its parent; false when the process is gone or dead already. */
static bool read_process(const char *pid, char name[32], pid_t *parent) {
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/%.16s/stat", pid);
  FILE *file = fopen(path, "re");
  if (!file) return false;
  bool read = fgets(line, sizeof line, file) != NULL;
  fclose(file);
  char *open = read ? strchr(line, '(') : NULL, *close = read ? strrchr(line, ')') : NULL;
  char state;
  if (!open || !close || sscanf(close + 1, " %c %d", &state, parent) != 2 || state == 'Z') return false;
  *close = 0;
  snprintf(name, 32, "%.31s", open + 1);
  return true;
}

/* A QEMU among this process's own children. libvirt detaches it, so that it becomes one. */
static pid_t find_qemu(void) {
  DIR *proc = opendir("/proc");
  pid_t found = 0;
  for (struct dirent *entry; proc && !found && (entry = readdir(proc));) {
    char name[32];
    pid_t parent;
    if (!isdigit((unsigned char)entry->d_name[0]) || !read_process(entry->d_name, name, &parent)) continue;
    if (parent != getpid()) continue;
    if (strncmp(name, "qemu-system", 11) == 0 || strncmp(name, "qemu-kvm", 8) == 0) found = atoi(entry->d_name);
  }
  if (proc) closedir(proc);
  return found;
}

/* A process that a signal ended leaves the signal's number in a file of its own number, for the launcher to tell. */
static void note_signal(pid_t pid, int status) {
  char path[128];
  if (!WIFSIGNALED(status)) return;
  mkdir(SIGNALLED_DIR, 0755);
  snprintf(path, sizeof path, SIGNALLED_DIR "/%d", pid);
  int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (fd < 0) return;
  dprintf(fd, "%d\n", WTERMSIG(status));
  close(fd);
}

/* Takes the status of every process that ended; true when the launcher was one of them. */
static bool reap(pid_t launcher, int *status) {
  bool ended = false;
  int one;
  for (pid_t pid; (pid = waitpid(-1, &one, WNOHANG)) > 0;) {
    if (pid != launcher) {
      note_signal(pid, one);
      continue;
    }
    *status = one;
    ended = true;
  }
  return ended;
}

static int wait_for_launcher(pid_t launcher, const sigset_t *signals) {
  int status = 0;
  for (;;) {
    siginfo_t info;
    int signal = sigwaitinfo(signals, &info);
    if (signal == SIGCHLD) {
      if (reap(launcher, &status)) return status;
    } else if (signal > 0) {
      say("info", "signal %d: telling the launcher to stop", signal);
      kill(launcher, SIGTERM);
    }
  }
}

/* False when a QEMU is still there after the time it has. */
static bool end_qemu(const sigset_t *signals) {
  pid_t qemu = find_qemu();
  if (!qemu) return true;
  say("info", "the launcher is gone, ending qemu %d", qemu);
  kill(qemu, SIGTERM);
  for (int tenths = 0; tenths < QEMU_GRACE_SECONDS * 10; tenths++) {
    int ignored;
    struct timespec tenth = {0, 100 * 1000 * 1000};
    sigtimedwait(signals, NULL, &tenth);
    reap(0, &ignored);
    if (!find_qemu()) return true;
  }
  say("error", "qemu %d did not end within %d s", qemu, QEMU_GRACE_SECONDS);
  return false;
}

static void dump_log(const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return;
  char block[4096];
  off_t size = lseek(fd, 0, SEEK_END);
  lseek(fd, size > LOG_TAIL_BYTES ? size - LOG_TAIL_BYTES : 0, SEEK_SET);
  dprintf(STDERR_FILENO, "==> %s\n", path);
  for (ssize_t n; (n = read(fd, block, sizeof block)) > 0;)
    if (write(STDERR_FILENO, block, n) < 0) break;
  close(fd);
}

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static void dump_logs(void) {
  const char *folder = PRIVATE_DIR "/libvirt/qemu/log";
  dump_log("/var/run/kubevirt/passt.log");
  DIR *logs = opendir(folder);
  for (struct dirent *entry; logs && (entry = readdir(logs));) {
    char path[512];
    if (!ends_with(entry->d_name, ".log")) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    dump_log(path);
  }
  if (logs) closedir(logs);
}

/* The containers that serve disks end when their sockets disappear. */
static void remove_disk_sockets(const char *folder) {
  DIR *disks = folder ? opendir(folder) : NULL;
  for (struct dirent *entry; disks && (entry = readdir(disks));)
    if (ends_with(entry->d_name, ".sock") && unlinkat(dirfd(disks), entry->d_name, 0) < 0)
      say("warning", "cannot remove %s/%s: %s", folder, entry->d_name, strerror(errno));
  if (disks) closedir(disks);
}

/* Whether a process of this pod listens on the port, by the kernel's list of sockets (0A: LISTEN). */
static bool is_listened_on(unsigned port) {
  static const char *const lists[] = {"/proc/net/tcp", "/proc/net/tcp6"};
  bool found = false;
  for (size_t i = 0; i < sizeof lists / sizeof *lists && !found; i++) {
    char line[512];
    FILE *list = fopen(lists[i], "re");
    while (list && !found && fgets(line, sizeof line, list)) {
      unsigned local, state;
      found = sscanf(line, " %*d: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x", &local, &state) == 2 && local == port && state == 0x0a;
    }
    if (list) fclose(list);
  }
  return found;
}

/*
 * An istio proxy in the pod would keep it running for ever. It listens on every address; 127.0.0.1 leads to the guest
 * where that is behind NAT, and once the guest is gone nobody even refuses.
 */
static bool ask_istio_to_quit(void) {
  static const char request[] = "POST /quitquitquit HTTP/1.0\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(ISTIO_PORT), .sin_addr = {htonl(INADDR_LOOPBACK + 1)}};
  struct timeval second = {1, 0};
  char answer[16] = "";
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second);
  bool done = connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
              write(fd, request, sizeof request - 1) > 0 && read(fd, answer, sizeof answer - 1) > 12 &&
              strncmp(answer + 8, " 200", 4) == 0;
  close(fd);
  return done;
}

static void stop_istio(void) {
  for (unsigned pause_ms = 50; is_listened_on(ISTIO_PORT) && !ask_istio_to_quit() && pause_ms < 10000; pause_ms *= 5)
    usleep(pause_ms * 1000);
}

static void block_for_ever(const sigset_t *signals) {
  say("warning", "keeping the pod after a failure; delete it to end it");
  for (int ignored; sigwaitinfo(signals, NULL) != SIGTERM;) reap(0, &ignored);
}

int main(int argc, char **argv) {
  sigset_t signals, before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGQUIT);
  sigprocmask(SIG_BLOCK, &signals, &before);

  hold_compute_lock();
  /* As PID 1 it gets the orphans anyway. */
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  pid_t launcher = fork();
  if (launcher < 0) {
    say("fatal", "cannot fork: %s", strerror(errno));
    return 1;
  }
  if (launcher == 0) run_launcher(argc, argv, &before);

  int status = wait_for_launcher(launcher, &signals);
  int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (code != 0) {
    say("error", "the launcher ended with code %d", code);
    dump_logs();
  }
  if (!end_qemu(&signals) && code == 0) code = 1;
  remove_disk_sockets(option(argc, argv, "--container-disk-dir"));
  stop_istio();
  if (code != 0 && flag(argc, argv, "--keep-after-failure")) block_for_ever(&signals);
  return code;
}
