/* virt-vsock whose guest is a unix socket: its copying can be tried where no guest can. */
#include <sys/un.h>
#define main vsock_main
#include "../mount/virt-vsock.c"
#undef main

int main(int count, char **values) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int guest = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (count < 2) return USAGE;
  strncpy(address.sun_path, values[1], sizeof address.sun_path - 1);
  signal(SIGPIPE, SIG_IGN);
  if (connect(guest, (struct sockaddr *)&address, sizeof address) != 0) fail(FAILED, "%s", strerror(errno));
  return serve(guest) == 0 ? DONE : FAILED;
}
