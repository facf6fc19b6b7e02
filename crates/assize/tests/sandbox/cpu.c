/* Computes in four processes for ever. */
#include "escape.h"

int main(void) {
    fork();
    fork();
    for (;;);
}
