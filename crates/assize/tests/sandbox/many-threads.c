/* Starts 300 threads that stay. */
#include "escape.h"
#include <pthread.h>

static void *stay(void *unused) {
    sleep(3);
    return unused;
}

int main(void) {
    int started = 0;
    pthread_t threads[300];
    for (int i = 0; i < 300; i++) started += pthread_create(&threads[started], NULL, stay, NULL) == 0;
    sleep(1);
    if (started == 300) done();
}
