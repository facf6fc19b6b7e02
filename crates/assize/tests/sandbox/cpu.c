/* Computes in four processes, for ever as far as we are concerned. */
#include "escape.h"

int main(void) {
    struct rlimit enough = { 60, 60 };
    setrlimit(RLIMIT_CPU, &enough);
    fork();
    fork();
    for (;;);
}
