/*
 * Starts the service whose bundle is APP, with the flags of every service, and passes its own arguments on. It is the
 * program under the service's name (`/usr/bin/virt-launcher`), so that one can be started by another or by a pod's
 * command without a shell.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef APP
#error "APP must name the bundle"
#endif

/*
 * A service waits most of its life, and many run on a node: size counts, peak speed does not. Without the two optimizing
 * compilers a service that was busy keeps 20 to 30 MiB less, and needs a tenth to a third more CPU time while busy.
 */
static char *const flags[] = {
    "/usr/bin/node", "--max-semi-space-size=1", "--v8-pool-size=1", "--no-opt", "--no-maglev", "--optimize-for-size", APP,
};
enum { flag_count = sizeof flags / sizeof *flags };

int main(int argc, char **argv) {
  char **all = calloc((size_t)argc + flag_count, sizeof *all);
  if (all == NULL) {
    perror(argv[0]);
    return 126;
  }
  int count = 0;
  for (; count < flag_count; count++) all[count] = flags[count];
  for (int at = 1; at < argc; at++) all[count++] = argv[at];
  execv(all[0], all);
  perror(all[0]);
  return 127;
}
