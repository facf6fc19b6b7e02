/* Leaves a program in the work copy that lends its owner's rights to whoever runs it. */
#include "escape.h"

int main(void) {
    close(open("a", O_CREAT | O_WRONLY, 0755));
    chmod("a", 04755);
    close(open("b", O_CREAT | O_WRONLY, 04755));
    int c = open("c", O_CREAT | O_WRONLY, 0755);
    fchmod(c, 02755);
    fchmodat(AT_FDCWD, "a", 06755, 0);
    syscall(452 /* fchmodat2 */, AT_FDCWD, "a", 04755, 0);
    mknod("d", S_IFREG | 04755, 0);
    struct { uint64_t flags, mode, resolve; } how = { O_CREAT | O_WRONLY, 04755, 0 };
    syscall(437 /* openat2 */, AT_FDCWD, "e", &how, sizeof how);
#ifdef SYS_creat
    syscall(SYS_creat, "f", 04755);
#endif
    int unnamed = open(".", O_TMPFILE | O_WRONLY, 04755);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", unnamed);
    linkat(AT_FDCWD, path, AT_FDCWD, "g", AT_SYMLINK_FOLLOW);
}
