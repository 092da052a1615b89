/*
 * virt-vsock: joins standard input and output to a VSOCK port of a guest. Node cannot open such a socket.
 *
 *   virt-vsock CID PORT
 *
 * Once the guest has answered, `connected` is the first line on stderr; from then on bytes pass both ways, and a side
 * that ends its sending ends it for the other. The program ends when both ways have ended. A way that nobody reads any
 * more has ended too, and what still comes for it is thrown away: the other way is not held up. When standard output is
 * that way, the caller has gone, and the guest has some seconds to take what is left.
 *
 * Exit codes: 0 done, 1 no connection, or it was lost (reason on stderr), 2 wrong usage.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <linux/vm_sockets.h>

enum { DONE = 0, FAILED = 1, USAGE = 2 };
enum { CONNECT_SECONDS = 5, LAST_SECONDS = 5, BUFFER_BYTES = 64 * 1024 };
/* Lower ones are this host itself; the highest is none. */
enum { FIRST_GUEST = VMADDR_CID_HOST + 1 };
static const uint32_t last_guest = VMADDR_CID_ANY - 1;

static void fail(int code, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

static void fail(int code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(code);
}

static uint32_t parse(const char *name, const char *text, uint32_t least, uint32_t most) {
  char *rest;
  errno = 0;
  unsigned long long value = strtoull(text, &rest, 10);
  if (!isdigit((unsigned char)text[0]) || *rest != '\0' || errno != 0 || value < least || value > most)
    fail(USAGE, "%s wants a number from %u to %u, not '%s'", name, least, most, text);
  return (uint32_t)value;
}

static int connect_guest(uint32_t cid, uint32_t port) {
  struct sockaddr_vm address = {.svm_family = AF_VSOCK, .svm_cid = cid, .svm_port = port};
  struct timeval limit = {.tv_sec = CONNECT_SECONDS};
  int guest = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (guest < 0 || setsockopt(guest, AF_VSOCK, SO_VM_SOCKETS_CONNECT_TIMEOUT, &limit, sizeof limit) != 0 ||
      connect(guest, (struct sockaddr *)&address, sizeof address) != 0)
    fail(FAILED, "cannot connect: %s", strerror(errno));
  return guest;
}

/* One direction; a descriptor that has ended is negative. */
struct way {
  int from, to, over;
  size_t start, end;
  char bytes[BUFFER_BYTES];
};

static int is_pending(const struct way *way) { return way->start < way->end; }

static int would_block(void) { return errno == EAGAIN || errno == EINTR; }

/* Who called has gone where nobody reads standard output; a guest that takes nothing must not keep this here. */
static void lose_reader(struct way *way) {
  if (way->to == STDOUT_FILENO) alarm(LAST_SECONDS);
  way->over = 1;
  way->to = -1;
  way->start = way->end = 0;
}

/* A socket is still read from by the other way. */
static void pass_end_on(struct way *way) {
  if (shutdown(way->to, SHUT_WR) != 0 && errno == ENOTSOCK) close(way->to);
  way->to = -1;
  way->over = 1;
}

static void write_some(struct way *way) {
  ssize_t written = write(way->to, way->bytes + way->start, way->end - way->start);
  if (written > 0) way->start += (size_t)written;
  else if (written < 0 && !would_block()) lose_reader(way);
}

/* 0 when it has failed, with errno set. */
static int read_some(struct way *way) {
  ssize_t length = read(way->from, way->bytes, sizeof way->bytes);
  if (length < 0) return would_block();
  if (length == 0) {
    way->from = -1;
    if (way->to >= 0) pass_end_on(way);
    return 1;
  }
  way->start = 0;
  way->end = way->to < 0 ? 0 : (size_t)length;
  if (is_pending(way)) write_some(way);
  return 1;
}

static struct pollfd interest(int descriptor, int events) {
  return (struct pollfd){.fd = events == 0 ? -1 : descriptor, .events = (short)events};
}

static int reads(const struct way *way) { return way->from >= 0 && !is_pending(way) ? POLLIN : 0; }

static int writes(const struct way *way) { return is_pending(way) ? POLLOUT : 0; }

static void do_not_block(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0 || fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) != 0)
    fail(FAILED, "descriptor %d cannot be used: %s", descriptor, strerror(errno));
}

/* A slow reader stops the reading of its own way and of no other. Answers what went wrong, 0 for nothing. */
static int serve(int guest) {
  static struct way typed, told;
  typed.from = STDIN_FILENO;
  typed.to = told.from = guest;
  told.to = STDOUT_FILENO;
  do_not_block(STDIN_FILENO);
  do_not_block(STDOUT_FILENO);
  do_not_block(guest);
  fputs("connected\n", stderr);
  while (!typed.over || !told.over) {
    struct pollfd input = interest(typed.from, reads(&typed));
    struct pollfd both = interest(guest, reads(&told) | writes(&typed));
    /* Without an event it tells that the reader has gone. */
    struct pollfd output = {.fd = told.to, .events = (short)writes(&told)};
    struct pollfd watched[] = {input, both, output};
    if (poll(watched, 3, -1) < 0 && errno != EINTR) fail(FAILED, "cannot wait for bytes: %s", strerror(errno));
    if (watched[2].revents & (POLLERR | POLLHUP)) lose_reader(&told);
    if (watched[2].revents && is_pending(&told)) write_some(&told);
    if (watched[1].revents && is_pending(&typed)) write_some(&typed);
    if (watched[1].revents && reads(&told) && !read_some(&told)) return errno;
    if (watched[0].revents && reads(&typed) && !read_some(&typed)) return errno;
  }
  return 0;
}

int main(int count, char **values) {
  if (count != 3) fail(USAGE, "usage: virt-vsock CID PORT");
  uint32_t cid = parse("CID", values[1], FIRST_GUEST, last_guest);
  uint32_t port = parse("PORT", values[2], 1, UINT32_MAX);
  signal(SIGPIPE, SIG_IGN);
  int guest = connect_guest(cid, port);
  int error = serve(guest);
  if (error != 0) fail(FAILED, "the connection was lost: %s", strerror(error));
  return DONE;
}
