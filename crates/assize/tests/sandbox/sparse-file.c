/* Makes a file of a terabyte that is empty. */
#include "escape.h"

int main(void) {
    if (ftruncate(open("sparse", O_CREAT | O_WRONLY, 0644), 1L << 40) == 0) escaped("a terabyte");
}
