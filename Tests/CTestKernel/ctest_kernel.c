#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "ctest_kernel.h"

#include <sched.h>
#include <sys/mount.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int ctest_refuse_openat2(void) {
    // openat2 has the same number on every architecture.
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 437, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -errno;
    // For all threads of the process: operations run on any of them.
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) < 0) return -errno;
    return 0;
}

int ctest_exchange(const char *one, const char *other) {
    return syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, 2u /* RENAME_EXCHANGE */) < 0 ? -errno : 0;
}

int ctest_enter_namespaces(void) {
    if (unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS) < 0) return -errno;
    if (mount("none", "/", 0, MS_REC | MS_PRIVATE, 0) < 0) return -errno;
    return mount("none", "/sys", "sysfs", 0, 0) < 0 ? -errno : 0;
}

int ctest_bind_mount(const char *source, const char *target) {
    return mount(source, target, 0, MS_BIND, 0) < 0 ? -errno : 0;
}

int ctest_mount_memory(const char *target) {
    return mount("none", target, "tmpfs", 0, "mode=1777") < 0 ? -errno : 0;
}

int ctest_unmount(const char *target) { return umount2(target, MNT_DETACH) < 0 ? -errno : 0; }
