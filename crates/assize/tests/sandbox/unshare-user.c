/* Makes a user namespace, in which it would have all rights. */
#include "escape.h"

int main(void) {
    if (unshare(CLONE_NEWUSER) == 0) escaped("unshare");
}
