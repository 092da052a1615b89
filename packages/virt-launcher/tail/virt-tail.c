/*
 * Copies the log of a guest's serial console to its own output, so that `kubectl logs -c guest-console-log` shows it.
 *
 *   virt-tail --logfile PATH [--lock PATH]
 *
 * The log may appear later than this program and may be cut short or replaced while it is read. The program ends
 * with the compute container: the monitor there holds the lock for its whole life, and when it can be taken, what
 * is left in the log is copied and this program exits with 0. TERM is ignored while the compute container lives,
 * since a guest that shuts down still writes.
 *
 * The file is written by QEMU on behalf of the guest: links are not followed, and its content is only copied.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef LOOK_AGAIN_MS
#define LOOK_AGAIN_MS 1000
#endif

static volatile sig_atomic_t terminated;

static void on_term(int signal) {
  (void)signal;
  terminated = 1;
}

typedef enum { ABSENT, HELD, FREE } Lock;

/* The file has no name before it is locked, so a free lock means that its holder is gone. */
static Lock look_at_lock(const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return ABSENT;
  bool free = flock(fd, LOCK_EX | LOCK_NB) == 0;
  close(fd);
  return free ? FREE : HELD;
}

static bool write_all(const char *bytes, ssize_t count) {
  while (count > 0) {
    ssize_t written = write(STDOUT_FILENO, bytes, count);
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes += written, count -= written;
  }
  return true;
}

/* Copies what is new. A file that got shorter was cut and starts over. False when the output is gone. */
static bool copy_new(int fd) {
  struct stat file;
  char block[16384];
  if (fstat(fd, &file) == 0 && file.st_size < lseek(fd, 0, SEEK_CUR)) lseek(fd, 0, SEEK_SET);
  for (ssize_t n; (n = read(fd, block, sizeof block)) > 0;)
    if (!write_all(block, n)) return false;
  return true;
}

/* Opens the log when it appears and again when another file took its name. */
static int follow(int fd, const char *path) {
  struct stat now, open_one;
  if (lstat(path, &now) < 0) return fd;
  if (fd >= 0 && fstat(fd, &open_one) == 0 && now.st_ino == open_one.st_ino && now.st_dev == open_one.st_dev) return fd;
  int next = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (next < 0) return fd;
  if (fd >= 0) {
    copy_new(fd);
    close(fd);
  }
  return next;
}

/* Watches the folder for the log. False while it is not there. */
static bool watch_folder_of(const char *path, int watch) {
  char folder[4096];
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (!slash) return false;
  *slash = 0;
  return inotify_add_watch(watch, folder, IN_MODIFY | IN_CREATE | IN_MOVED_TO) >= 0;
}

/* The lock's holder opened it for writing, so its end is told as the file's close. False while it is not there. */
static bool watch_lock(const char *path, int watch) {
  return inotify_add_watch(watch, path, IN_CLOSE_WRITE | IN_DONT_FOLLOW) >= 0;
}

/* Sleeps until something happens to the log or the lock, a second at most: neither need be there yet. */
static void wait_for_change(int watch) {
  char events[4096];
  struct pollfd ready = {.fd = watch, .events = POLLIN};
  /* A guest that writes byte by byte is read in larger steps. */
  if (poll(&ready, 1, LOOK_AGAIN_MS) > 0) usleep(50 * 1000);
  while (read(watch, events, sizeof events) > 0) {
  }
}

static const char *option(int argc, char **argv, const char *name, const char *otherwise) {
  for (int i = 1; i + 1 < argc; i++)
    if (strcmp(argv[i], name) == 0) return argv[i + 1];
  return otherwise;
}

int main(int argc, char **argv) {
  const char *path = option(argc, argv, "--logfile", NULL);
  const char *lock = option(argc, argv, "--lock", "/var/run/kubevirt-private/compute.lock");
  if (!path) {
    fprintf(stderr, "virt-tail: --logfile PATH is missing: the file whose lines are to be shown\n");
    return 2;
  }
  struct sigaction term = {.sa_handler = on_term};
  sigaction(SIGTERM, &term, NULL);

  int fd = -1, watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  bool folder_watched = false, lock_watched = false;
  for (;;) {
    /* Watched before it is looked at: what happens in between is told. */
    lock_watched = lock_watched || watch_lock(lock, watch);
    Lock state = look_at_lock(lock);
    folder_watched = folder_watched || watch_folder_of(path, watch);
    fd = follow(fd, path);
    if (fd >= 0 && !copy_new(fd)) return 1;
    if (state == FREE || (terminated && state == ABSENT)) return 0;
    wait_for_change(watch);
  }
}
