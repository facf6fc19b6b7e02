/* Leaves a key with the user, where other programs find it. It vanishes by itself. */
#include "escape.h"

int main(void) {
    char name[128];
    snprintf(name, sizeof name, "assize-%s", given("ESC_NONCE"));
    long key = syscall(SYS_add_key, "user", name, "x", 1, -4 /* the user's keyring */);
    if (key > 0) syscall(SYS_keyctl, 15 /* KEYCTL_SET_TIMEOUT */, key, 20);
    if (syscall(SYS_keyctl, 0 /* KEYCTL_GET_KEYRING_ID */, -3, 0) > 0) escaped("keyctl");
}
