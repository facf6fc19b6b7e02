/* Makes all of its data executable, for programs that it starts as well. */
#include "escape.h"
#include <sys/personality.h>

int main(void) {
    if (personality(READ_IMPLIES_EXEC) >= 0) escaped("READ_IMPLIES_EXEC");
    if (personality(ADDR_COMPAT_LAYOUT | MMAP_PAGE_ZERO) >= 0) escaped("MMAP_PAGE_ZERO");
}
