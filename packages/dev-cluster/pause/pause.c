/* Holds a pod's namespaces open: sleeps until it is asked to end, and reaps what is left to it. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void reap(int signal) {
  (void)signal;
  while (waitpid(-1, NULL, WNOHANG) > 0) {
  }
}

static void leave(int signal) {
  (void)signal;
  _exit(0);
}

int main(void) {
  struct sigaction reaping = {.sa_handler = reap, .sa_flags = SA_NOCLDSTOP | SA_RESTART};
  struct sigaction leaving = {.sa_handler = leave};
  sigaction(SIGCHLD, &reaping, NULL);
  sigaction(SIGTERM, &leaving, NULL);
  sigaction(SIGINT, &leaving, NULL);
  for (;;) pause();
}
