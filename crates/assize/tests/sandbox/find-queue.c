/* Not an escape: says whether a message queue is there. */
#include "escape.h"
#include <mqueue.h>

int main(void) {
    char name[64];
    snprintf(name, sizeof name, "/assize-%s", given("ESC_NONCE"));
    if (mq_open(name, O_RDWR) < 0) return 1;
    mq_unlink(name);
    return 0;
}
