/* Takes descriptors from other processes. */
#include "escape.h"

int main(void) {
    int processes[] = { 1, getppid(), atoi(given("ESC_VICTIM")) };
    for (int p = 0; p < 3; p++) {
        int process = syscall(434 /* pidfd_open */, processes[p], 0);
        for (int number = 0; process >= 0 && number < 16; number++)
            if (syscall(438 /* pidfd_getfd */, process, number, 0) >= 0) escaped("took a descriptor");
    }
}
