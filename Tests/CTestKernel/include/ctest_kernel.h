// What tests ask of the kernel and Swift cannot import.

#ifndef CTEST_KERNEL_H
#define CTEST_KERNEL_H

/// Has openat2 fail with ENOSYS in this process from here on, by a seccomp filter. 0, or a negated error number.
int ctest_refuse_openat2(void);
/// Exchanges two names in one step (renameat2). 0, or a negated error number.
int ctest_exchange(const char *one, const char *other);

#endif
