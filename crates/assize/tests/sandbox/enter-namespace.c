/* Enters the namespaces of other processes. */
#include "escape.h"

int main(void) {
    const char *kinds[] = { "mnt", "net", "pid", "ipc", "uts", "user", "cgroup" };
    const char *processes[] = { "1", given("ESC_VICTIM") };
    char path[64];
    for (int p = 0; p < 2; p++)
        for (int k = 0; k < 7; k++) {
            snprintf(path, sizeof path, "/proc/%s/ns/%s", processes[p], kinds[k]);
            int space = open(path, O_RDONLY);
            if (space >= 0 && setns(space, 0) == 0) escaped(path);
        }
    int whole = syscall(434 /* pidfd_open */, atoi(given("ESC_VICTIM")), 0);
    if (whole >= 0 && setns(whole, CLONE_NEWNET) == 0) escaped("pidfd");
}
