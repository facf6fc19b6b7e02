/* Raises its own limits, priority and rights. */
#include "escape.h"
#include <grp.h>
#include <sys/prctl.h>

int main(void) {
    struct rlimit limit;
    int resources[] = { RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_CORE, RLIMIT_MEMLOCK };
    for (int i = 0; i < 6; i++) {
        getrlimit(resources[i], &limit);
        if (limit.rlim_max == RLIM_INFINITY) continue;
        limit.rlim_max++;
        if (setrlimit(resources[i], &limit) == 0) escaped("raised a limit");
    }
    struct sched_param real_time = { 1 };
    if (sched_setscheduler(0, SCHED_FIFO, &real_time) == 0) escaped("real time");
    errno = 0;
    if (setpriority(PRIO_PROCESS, 0, -10) == 0) escaped("priority");
    if (getuid() != 0 && setuid(0) == 0) escaped("root");
    if (setgroups(0, NULL) == 0) escaped("groups");
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 21, 0, 0) == 0) escaped("capability");
}
