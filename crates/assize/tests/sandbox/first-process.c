/* Looks into the process that it was started by (the first one, in a sandbox): its memory, its
 * variables, its descriptors. */
#include "escape.h"

int main(void) {
    const char *parts[] = { "mem", "environ", "maps", "fd/0", "root/etc", "exe" };
    char path[64];
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(path, sizeof path, "/proc/%s/%s", given("ESC_FIRST"), parts[i]);
        if (open(path, O_RDONLY) >= 0) escaped(path);
    }
    snprintf(path, sizeof path, "/proc/%s/mem", given("ESC_FIRST"));
    if (open(path, O_RDWR) >= 0) escaped("writable memory");
}
