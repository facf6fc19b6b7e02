/* Computes for ever in processes none of which takes long, and that nobody waits for. */
#include "escape.h"
#include <time.h>

int main(void) {
    int first = getpid();
    signal(SIGCHLD, SIG_IGN);
    for (;;) {
        while (clock() < CLOCKS_PER_SEC / 5);
        if (fork() > 0) {
            if (getpid() == first) for (;;) pause();
            _exit(0);
        }
    }
}
