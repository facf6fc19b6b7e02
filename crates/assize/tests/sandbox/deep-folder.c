/* Makes a folder so deep that no path reaches its end, and closes it. */
#include "escape.h"

int main(void) {
    for (int i = 0; i < 4000; i++) {
        if (mkdir("a-folder-with-a-name-of-some-length", 0700) != 0) return 1;
        if (chdir("a-folder-with-a-name-of-some-length") != 0) return 1;
    }
    close(open("file", O_CREAT | O_WRONLY, 0600));
    chmod(".", 0);
}
