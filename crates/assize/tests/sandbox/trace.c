/* Traces a process of the host, and whoever started us. */
#include "escape.h"
#include <sys/ptrace.h>

int main(void) {
    if (ptrace(PTRACE_ATTACH, atoi(given("ESC_VICTIM")), 0, 0) == 0) escaped("attach");
    if (ptrace(PTRACE_SEIZE, atoi(given("ESC_VICTIM")), 0, 0) == 0) escaped("seize");
    if (getppid() > 0 && ptrace(PTRACE_SEIZE, getppid(), 0, 0) == 0) escaped("parent");
}
