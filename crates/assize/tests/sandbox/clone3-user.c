/* The same by clone3, whose flags a filter cannot see. */
#include "escape.h"

int main(void) {
    uint64_t arguments[11] = { CLONE_NEWUSER, 0, 0, 0, SIGCHLD };
    long pid = syscall(435 /* clone3 */, arguments, sizeof arguments);
    if (pid == 0) _exit(0);
    if (pid > 0) escaped("clone3");
}
