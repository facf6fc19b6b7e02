/* Fills the disk with a file that has no name. */
#include "escape.h"

int main(void) {
    static char piece[1 << 20];
    int file = open("unnamed", O_CREAT | O_RDWR, 0600);
    unlink("unnamed");
    for (int i = 0; i < 256; i++) {
        memset(piece, i + 1, sizeof piece);
        if (write(file, piece, sizeof piece) < 0) return 1;
        usleep(2000);
    }
    sleep(1);
    done();
}
