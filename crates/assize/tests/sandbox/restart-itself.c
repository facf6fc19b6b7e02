/* A process that is always about to be another one, so that its id is never the one to be killed. */
#include "escape.h"
#include <time.h>

int main(void) {
    struct timespec pause = { 0, 2000000 };
    leave_home();
    for (int round = 0; round < 600; round++) {
        if (fork()) _exit(0);
        nanosleep(&pause, NULL);
    }
    close(open("late", O_CREAT | O_WRONLY, 0644));
}
