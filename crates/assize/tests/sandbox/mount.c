/* Mounts something over the work copy. */
#include "escape.h"

int main(void) {
    if (mount("tmpfs", ".", "tmpfs", 0, NULL) == 0) escaped("tmpfs");
    if (mount("/", ".", NULL, MS_BIND, NULL) == 0) escaped("bind");
    if (mount("proc", ".", "proc", 0, NULL) == 0) escaped("proc");
    if (umount2("/tmp", MNT_DETACH) == 0) escaped("umount");
}
