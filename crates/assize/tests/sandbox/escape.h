/* What all escapes share. Each tries one way out, and prints ESCAPED when it saw it work. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static inline const char *given(const char *name) {
    const char *value = getenv(name);
    if (!value) {
        fprintf(stderr, "%s is not given\n", name);
        exit(99);
    }
    return value;
}

static inline void escaped(const char *how) {
    printf("ESCAPED %s\n", how);
    fflush(stdout);
}

static inline void done(void) {
    printf("DONE\n");
    fflush(stdout);
}

/* Forks; the parent ends when the child says that it is on its own. */
static inline void leave_home(void) {
    if (fork()) {
        while (access("begun", F_OK) != 0) usleep(10000);
        exit(0);
    }
    setsid();
    close(open("begun", O_CREAT | O_WRONLY, 0644));
}
