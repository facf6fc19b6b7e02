/* Leaves shared memory with a well-known key. */
#include "escape.h"
#include <sys/ipc.h>
#include <sys/shm.h>

int main(void) { shmget(atoi(given("ESC_KEY")), 4096, IPC_CREAT | 0600); }
