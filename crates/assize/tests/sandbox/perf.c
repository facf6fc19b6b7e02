/* Opens performance counters. */
#include "escape.h"

int main(void) {
    uint32_t attributes[32] = { 1 /* software */, 128, 0 };
    if (syscall(SYS_perf_event_open, attributes, 0, -1, -1, 0) >= 0) escaped("perf_event_open");
}
