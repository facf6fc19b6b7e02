/* Starts 300 processes that stay. */
#include "escape.h"

int main(void) {
    int started = 0;
    for (int i = 0; i < 300; i++) {
        int pid = fork();
        if (pid == 0) {
            sleep(3);
            _exit(0);
        }
        started += pid > 0;
    }
    sleep(1);
    if (started == 300) done();
    while (wait(NULL) > 0);
}
