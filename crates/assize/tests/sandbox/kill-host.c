/* Kills a process of the host. */
#include "escape.h"

int main(void) {
    int victim = atoi(given("ESC_VICTIM"));
    kill(victim, SIGKILL);
    int process = syscall(434 /* pidfd_open */, victim, 0);
    syscall(424 /* pidfd_send_signal */, process, SIGKILL, NULL, 0);
}
