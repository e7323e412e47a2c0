// What tests ask of the kernel and Swift cannot import.

#ifndef CTEST_KERNEL_H
#define CTEST_KERNEL_H

/// Has openat2 fail with ENOSYS in this process from here on, by a seccomp filter. 0, or a negated error number.
int ctest_refuse_openat2(void);
/// Exchanges two names in one step (renameat2). 0, or a negated error number.
int ctest_exchange(const char *one, const char *other);
/// Gives the calling thread namespaces of its own: mounts (with a /sys of the new network), network, host name. 0, or a
/// negated error number.
int ctest_enter_namespaces(void);
/// Mounts one file or directory over another (MS_BIND). 0, or a negated error number.
int ctest_bind_mount(const char *source, const char *target);
/// Mounts a directory over itself so that nothing in it can be written. 0, or a negated error number.
int ctest_mount_read_only(const char *place);
/// Mounts an empty file system that lives in memory (tmpfs). 0, or a negated error number.
int ctest_mount_memory(const char *target);
/// Takes the topmost mount of a place away. 0, or a negated error number.
int ctest_unmount(const char *target);
/// Makes a pair of network interfaces (veth). 0, or a negated error number.
int ctest_make_link(const char *name, const char *peer, int peer_is_up);
/// Takes a network interface away. 0, or a negated error number.
int ctest_remove_link(const char *name);

#endif
