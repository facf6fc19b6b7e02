/* Opens the second way to make system calls. */
#include "escape.h"

int main(void) {
    char parameters[256] = { 0 };
    if (syscall(425 /* io_uring_setup */, 4, parameters) >= 0) escaped("io_uring");
}
