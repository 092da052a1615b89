/*
 * container-disk: keeps the container of a disk image alive and shows the node agent which process it is.
 *
 * It runs inside images that may hold nothing but one disk file, so it is one static program without a
 * shell, a C library beside it, or any file of its own. The node agent connects to the socket, reads the
 * peer's process id from the kernel and mounts the disk out of that process's root.
 *
 *   container-disk --copy-path P    listens on P.sock until told to stop
 *   container-disk --no-op          exits at once (used to resolve an image)
 *
 * It ends with 0 on SIGTERM or SIGINT (and removes the socket), and with 0 when somebody else removes the
 * socket file: that is how a launcher whose guest is gone ends the disk containers of its pod.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { exit_ok = 0, exit_failed = 1, exit_usage = 2, recheck_ms = 1000, backlog = 16 };

static const char suffix[] = ".sock";

static void say(const char *format, ...) {
  va_list words;
  va_start(words, format);
  fputs("container-disk: ", stderr);
  vfprintf(stderr, format, words);
  fputc('\n', stderr);
  va_end(words);
}

static int usage(void) {
  fputs("usage: container-disk --copy-path PATH | --no-op\n", stderr);
  return exit_usage;
}

/* Reads `--name value` and `--name=value`; moves on to the value where it stands alone. */
static const char *option_value(int argc, char **argv, int *at, const char *name) {
  const char *argument = argv[*at];
  size_t length = strlen(name);
  if (strncmp(argument, name, length) != 0) return NULL;
  if (argument[length] == '=') return argument + length + 1;
  if (argument[length] == '\0' && *at + 1 < argc) return argv[++*at];
  return NULL;
}

/* Fills the address of PATH.sock; the kernel takes at most 107 characters. */
static int socket_address(const char *path, struct sockaddr_un *address) {
  size_t longest = sizeof address->sun_path - 1;
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  int length = snprintf(address->sun_path, sizeof address->sun_path, "%s%s", path, suffix);
  if (length >= 0 && (size_t)length <= longest) return 0;
  say("the socket path %s%s is %d characters long, at most %zu fit: choose a shorter --copy-path", path, suffix, length,
      longest);
  return -1;
}

/* Other users of the pod put their sockets here too, whatever this process's umask says. */
static int make_parent(const char *socket_path) {
  char parent[sizeof((struct sockaddr_un *)0)->sun_path];
  strcpy(parent, socket_path);
  char *slash = strrchr(parent, '/');
  if (slash == NULL || slash == parent) return 0;
  *slash = '\0';
  mode_t before = umask(0);
  int made = mkdir(parent, 0777);
  umask(before);
  if (made == 0 || errno == EEXIST) return 0;
  say("cannot make the directory %s: %s", parent, strerror(errno));
  return -1;
}

static int listen_on(const struct sockaddr_un *address) {
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) {
    say("cannot make a socket: %s", strerror(errno));
    return -1;
  }
  /* A socket left by an earlier run of this container would refuse the name. */
  if (unlink(address->sun_path) != 0 && errno != ENOENT) {
    say("cannot replace %s: %s", address->sun_path, strerror(errno));
    return -1;
  }
  if (bind(listener, (const struct sockaddr *)address, sizeof *address) != 0 || listen(listener, backlog) != 0) {
    say("cannot listen on %s: %s", address->sun_path, strerror(errno));
    return -1;
  }
  return listener;
}

static int signals_as_descriptor(void) {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  sigprocmask(SIG_BLOCK, &stop, NULL);
  int signals = signalfd(-1, &stop, SFD_CLOEXEC);
  if (signals < 0) say("cannot receive signals: %s", strerror(errno));
  return signals;
}

/* A connection only asks who is listening; the kernel has answered that already. */
static void answer_all(int listener) {
  for (int peer; (peer = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0;) close(peer);
}

/* The file at the path is still the socket that was bound here, not gone and not replaced. */
static int still_ours(const char *path, const struct stat *bound) {
  struct stat now;
  return lstat(path, &now) == 0 && now.st_ino == bound->st_ino && now.st_dev == bound->st_dev;
}

static int serve(const char *path) {
  struct sockaddr_un address;
  if (socket_address(path, &address) != 0 || make_parent(address.sun_path) != 0) return exit_failed;

  int signals = signals_as_descriptor();
  int listener = signals < 0 ? -1 : listen_on(&address);
  if (listener < 0) return exit_failed;

  struct stat bound;
  if (lstat(address.sun_path, &bound) != 0) {
    say("cannot see %s: %s", address.sun_path, strerror(errno));
    return exit_failed;
  }

  struct pollfd wait[] = {{.fd = listener, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
  while (still_ours(address.sun_path, &bound)) {
    if (poll(wait, 2, recheck_ms) < 0 && errno != EINTR) {
      say("cannot wait for connections: %s", strerror(errno));
      return exit_failed;
    }
    if (wait[1].revents != 0) {
      unlink(address.sun_path);
      return exit_ok;
    }
    if (wait[0].revents != 0) answer_all(listener);
  }
  return exit_ok;
}

int main(int argc, char **argv) {
  const char *path = NULL;
  for (int at = 1; at < argc; at++) {
    if (strcmp(argv[at], "--no-op") == 0) return exit_ok;
    const char *value = option_value(argc, argv, &at, "--copy-path");
    if (value == NULL || *value == '\0') {
      say("cannot understand %s", argv[at]);
      return usage();
    }
    path = value;
  }
  return path == NULL ? usage() : serve(path);
}
