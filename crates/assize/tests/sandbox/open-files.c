/* Opens 2000 files. */
#include "escape.h"

int main(void) {
    int opened = 0;
    while (opened < 2000 && open("/dev/null", O_RDONLY) >= 0) opened++;
    usleep(300000);
    if (opened == 2000) done();
}
