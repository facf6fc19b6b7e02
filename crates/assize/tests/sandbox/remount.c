/* Makes the system writable again. */
#include "escape.h"

int main(void) {
    const char *places[] = { "/", "/usr", "/etc", "/proc" };
    char path[128];
    for (int i = 0; i < 4; i++) mount(NULL, places[i], NULL, MS_REMOUNT | MS_BIND, NULL);
    snprintf(path, sizeof path, "/usr/assize-escape-%s", given("ESC_NONCE"));
    open(path, O_CREAT | O_WRONLY, 0644);
}
