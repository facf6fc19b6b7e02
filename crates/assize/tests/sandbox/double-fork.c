/* The same the thorough way: two forks, no descriptors, no signals. */
#include "escape.h"

int main(void) {
    leave_home();
    if (fork()) return 0;
    for (int number = 0; number < 256; number++) close(number);
    for (int number = 1; number < 64; number++) signal(number, SIG_IGN);
    sleep(1);
    close(open("late", O_CREAT | O_WRONLY, 0644));
    return 0;
}
