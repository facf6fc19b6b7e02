/* Connects to sockets of the host by their paths, as those of docker, ssh-agent and D-Bus. */
#include "escape.h"
#include <sys/un.h>

int main(void) {
    char *list = strdup(given("ESC_SOCKETS"));
    for (char *path = strtok(list, ":"); path; path = strtok(NULL, ":")) {
        struct sockaddr_un to = { .sun_family = AF_UNIX };
        strncpy(to.sun_path, path, sizeof to.sun_path - 1);
        connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&to, sizeof to);
    }
}
