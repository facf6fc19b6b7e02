/* Multiplies as fast as it can. It stops at 5000, in case that nothing else does. */
#include "escape.h"
#include <sys/mman.h>

int main(void) {
    int *count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    while (__atomic_add_fetch(count, 1, __ATOMIC_RELAXED) < 5000) fork();
    sleep(5);
}
