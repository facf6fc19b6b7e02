/* A process of the host that holds a secret. It lets itself be traced, so that only a sandbox stops it. */
#include "escape.h"
#include <sys/prctl.h>

static char held[128];

int main(void) {
    /* A test that is killed cannot end it. */
    prctl(PR_SET_PDEATHSIG, 9, 0, 0, 0);
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    strncpy(held, given("ESC_VICTIM_SECRET"), sizeof held - 1);
    printf("%lu\n", (unsigned long)held);
    fflush(stdout);
    for (;;) pause();
}
