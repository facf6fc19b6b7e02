/* Computes in processes none of which takes long, and that nobody waits for. */
#include "escape.h"
#include <time.h>

int main(void) {
    int first = getpid();
    time_t begun = time(NULL);
    signal(SIGCHLD, SIG_IGN);
    while (time(NULL) < begun + 60) {
        while (clock() < CLOCKS_PER_SEC / 5);
        if (fork() > 0) {
            if (getpid() == first) sleep(60);
            _exit(0);
        }
    }
}
