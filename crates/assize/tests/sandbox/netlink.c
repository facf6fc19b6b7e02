/* Listens to the kernel's messages about devices and audits. */
#include "escape.h"

int main(void) {
    int kinds[] = { 2, 4, 5, 6, 7, 9, 10, 12, 15, 16, 18, 20 };
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (socket(AF_NETLINK, SOCK_RAW, kinds[i]) >= 0) escaped("netlink");
}
