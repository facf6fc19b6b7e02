/* Takes 512 MiB and uses it. */
#include "escape.h"

int main(void) {
    for (int i = 0; i < 32; i++) {
        char *piece = malloc(16 << 20);
        if (!piece) return 1;
        memset(piece, i + 1, 16 << 20);
        usleep(5000);
    }
    sleep(1);
    done();
}
