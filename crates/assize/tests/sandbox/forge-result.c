/* Says on every descriptor it can find that it ended well; a real status of 9 is to be reported. */
#include "escape.h"

int main(void) {
    const char text[] = "{\"Ended\":{\"status\":0,\"signal\":null,\"largest_bytes\":0,\"cpu_millis\":0}}";
    uint32_t length = sizeof text - 1;
    char path[64];
    for (int number = 0; number < 64; number++) {
        if (number != 1 && number != 2) {
            write(number, &length, 4);
            write(number, text, length);
        }
        for (int process = 1; process < 8; process++) {
            snprintf(path, sizeof path, "/proc/%d/fd/%d", process, number);
            int other = process == getpid() ? -1 : open(path, O_WRONLY | O_NONBLOCK);
            if (other >= 0) {
                write(other, &length, 4);
                write(other, text, length);
            }
        }
    }
    return 9;
}
