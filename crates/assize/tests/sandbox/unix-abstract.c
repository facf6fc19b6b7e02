/* Connects to a socket of the host that has no path. */
#include "escape.h"
#include <stddef.h>
#include <sys/un.h>

int main(void) {
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    int length = snprintf(to.sun_path + 1, sizeof to.sun_path - 1, "%s", given("ESC_ABSTRACT"));
    connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&to, offsetof(struct sockaddr_un, sun_path) + 1 + length);
}
