/* Sends an echo request to the host, which answers it by itself. */
#include "escape.h"
#include <arpa/inet.h>
#include <netinet/ip_icmp.h>

int main(void) {
    struct sockaddr_in to = { .sin_family = AF_INET };
    inet_pton(AF_INET, given("ESC_ADDRESS"), &to.sin_addr);
    struct icmphdr echo = { .type = ICMP_ECHO, .checksum = htons(0xf7ff) };
    int kinds[] = { SOCK_DGRAM, SOCK_RAW };
    for (int i = 0; i < 2; i++) sendto(socket(AF_INET, kinds[i], IPPROTO_ICMP), &echo, sizeof echo, 0, (void *)&to, sizeof to);
}
