/* Asks for what acts on the whole machine. None of it may even be looked at by the kernel. */
#include "escape.h"
#include <sys/reboot.h>
#include <sys/swap.h>
#include <sys/time.h>

static void asked(const char *what, long result) {
    if (result >= 0 || (errno != EPERM && errno != ENOSYS)) escaped(what);
}

int main(void) {
    asked("reboot", syscall(SYS_reboot, 0xfee1dead, 672274793, 0, NULL));
    asked("init_module", syscall(SYS_init_module, NULL, 0, ""));
    asked("finit_module", syscall(SYS_finit_module, -1, "", 0));
    asked("delete_module", syscall(SYS_delete_module, "none", 0));
    asked("kexec_load", syscall(SYS_kexec_load, 0, 0, NULL, 0));
    asked("swapon", syscall(SYS_swapon, "/none", 0));
    asked("settimeofday", syscall(SYS_settimeofday, NULL, NULL));
    asked("clock_settime", syscall(SYS_clock_settime, 0, NULL));
    asked("sethostname", syscall(SYS_sethostname, "", 0));
    asked("acct", syscall(SYS_acct, "/none"));
    asked("quotactl", syscall(SYS_quotactl, 0, NULL, 0, NULL));
    asked("syslog", syscall(SYS_syslog, 3, NULL, 0));
    asked("vhangup", syscall(SYS_vhangup));
    asked("fanotify_init", syscall(SYS_fanotify_init, 0, 0));
#ifdef SYS_iopl
    asked("iopl", syscall(SYS_iopl, 3));
    asked("ioperm", syscall(SYS_ioperm, 0, 1, 1));
    asked("modify_ldt", syscall(SYS_modify_ldt, 0, NULL, 0));
#endif
    asked("a call of the future", syscall(1000));
}
