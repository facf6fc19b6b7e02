/* Takes 512 MiB in 16 processes, none of which has much. */
#include "escape.h"

int main(void) {
    for (int i = 0; i < 16; i++)
        if (fork() == 0) {
            char *piece = malloc(32 << 20);
            memset(piece, i + 1, 32 << 20);
            sleep(2);
            _exit(0);
        }
    while (wait(NULL) > 0);
    done();
}
