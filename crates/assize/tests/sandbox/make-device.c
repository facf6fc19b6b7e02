/* Makes the disk's device in the work copy, to read all of it. */
#include "escape.h"
#include <sys/sysmacros.h>

int main(void) {
    mknod("disk", S_IFBLK | 0600, makedev(atoi(given("ESC_DISK_MAJOR")), atoi(given("ESC_DISK_MINOR"))));
    mknod("memory", S_IFCHR | 0600, makedev(1, 1));
}
