/* Leaves a message queue with a name. */
#include "escape.h"
#include <mqueue.h>

int main(void) {
    char name[64];
    snprintf(name, sizeof name, "/assize-%s", given("ESC_NONCE"));
    mq_open(name, O_CREAT | O_RDWR, 0600, NULL);
}
