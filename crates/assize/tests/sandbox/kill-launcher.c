/* Kills what started it, then ends as if all were well; a real status of 7 is to be reported. */
#include "escape.h"

int main(void) {
    int signals[] = { SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGSEGV, SIGABRT, SIGUSR1, SIGCHLD };
    for (int i = 0; i < 8; i++) {
        kill(1, signals[i]);
        if (getppid() > 0) kill(getppid(), signals[i]);
    }
    return 7;
}
