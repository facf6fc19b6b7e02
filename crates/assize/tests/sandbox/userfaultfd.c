/* Opens a means that many kernel exploits use. */
#include "escape.h"

int main(void) {
    if (syscall(SYS_userfaultfd, 0) >= 0 || syscall(SYS_userfaultfd, 1) >= 0) escaped("userfaultfd");
    if (open("/dev/userfaultfd", O_RDWR) >= 0) escaped("/dev/userfaultfd");
}
