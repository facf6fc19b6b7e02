/* Stops a process of the host, so that it hangs. */
#include "escape.h"

int main(void) { kill(atoi(given("ESC_VICTIM")), SIGSTOP); }
