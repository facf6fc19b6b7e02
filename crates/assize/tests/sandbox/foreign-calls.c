/* Makes system calls of another architecture, whose numbers a filter might not know. */
#include "escape.h"

int main(void) {
#ifdef __x86_64__
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20 /* getpid of i386 */));
    if (result == getpid()) escaped("int 0x80");
#endif
}
