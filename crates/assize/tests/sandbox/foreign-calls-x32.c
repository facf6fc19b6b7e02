/* Makes system calls of the x32 variant, whose numbers carry another bit. */
#include "escape.h"

int main(void) {
#ifdef __x86_64__
    errno = 0;
    if (syscall(0x40000000 | SYS_ptrace, 16, atoi(given("ESC_VICTIM")), 0, 0) == 0) escaped("x32");
    if (errno == ENOSYS) escaped("x32 was asked");
#endif
}
