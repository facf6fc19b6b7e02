/* Connects to the host by TCP, over loopback and over its other address. */
#include "escape.h"
#include <arpa/inet.h>

int main(void) {
    const char *addresses[] = { "127.0.0.1", given("ESC_ADDRESS") };
    for (int i = 0; i < 2; i++) {
        struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(atoi(given("ESC_TCP"))) };
        inet_pton(AF_INET, addresses[i], &to.sin_addr);
        int out = socket(AF_INET, SOCK_STREAM, 0);
        struct timeval patience = { 1, 0 };
        setsockopt(out, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
        connect(out, (struct sockaddr *)&to, sizeof to);
    }
}
