#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "clinux_managed.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

// The numbers are the same on every architecture; the headers of older libraries lack them.
#ifndef SYS_openat2
#define SYS_openat2 437
#endif

int clinux_managed_open_in_root(int root, const char *path) {
    struct open_how how = {
        .flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC,
        .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS,
    };
    long fd = syscall(SYS_openat2, root, *path ? path : ".", &how, sizeof how);
    return fd < 0 ? -errno : (int)fd;
}

long clinux_managed_read_link(int directory, const char *name, char *buffer, size_t size) {
    ssize_t count = readlinkat(directory, name, buffer, size);
    return count < 0 ? -errno : (long)count;
}

int clinux_managed_make_link(const char *target, int directory, const char *name) {
    return symlinkat(target, directory, name) < 0 ? -errno : 0;
}

int clinux_managed_own_link(int directory, const char *name, uint32_t user, uint32_t group) {
    return fchownat(directory, name, user, group, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

/// Returns the ID of the mount that a descriptor is on, from /proc; -1 if it is not available.
static long clinux_managed_mount_id(int fd) {
    char text[512];
    snprintf(text, sizeof text, "/proc/self/fdinfo/%d", fd);
    int file = open(text, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    if (count <= 0) return -1;
    text[count] = 0;
    const char *line = strstr(text, "mnt_id:");
    long id;
    return line && sscanf(line, "mnt_id: %ld", &id) == 1 ? id : -1;
}

static int clinux_managed_is_elsewhere(int directory, const char *name) {
    int fd = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return -errno;
    long here = clinux_managed_mount_id(directory), there = clinux_managed_mount_id(fd);
    int result;
    struct stat above, status;
    if (here >= 0 && there >= 0)
        result = here != there;
    else if (fstat(directory, &above) < 0 || fstat(fd, &status) < 0)
        result = -errno;
    else
        result = above.st_dev != status.st_dev;
    close(fd);
    return result;
}

int clinux_managed_is_mount_point(int directory, const char *name) {
#ifdef SYS_statx
    // struct statx, which not every C library has: the file's attributes, and a mask of those that the kernel supports.
    uint64_t status[32] = {0};
    const uint64_t mount_root = 0x2000;
    if (syscall(SYS_statx, directory, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, 0u, status) == 0) {
        // stx_attributes is at byte 8, stx_attributes_mask at byte 56.
        if (status[7] & mount_root) return (status[1] & mount_root) != 0;
    } else if (errno != ENOSYS && errno != EPERM) {
        return -errno;
    }
#endif
    return clinux_managed_is_elsewhere(directory, name);
}

int clinux_managed_write_back(int fd, int64_t begin, int64_t begin_count, int64_t wait, int64_t wait_count) {
    const unsigned all = SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    if (begin_count > 0 && sync_file_range(fd, begin, begin_count, SYNC_FILE_RANGE_WRITE) < 0) goto failed;
    if (wait_count > 0 && sync_file_range(fd, wait, wait_count, all) < 0) goto failed;
    return 0;
failed:
    // Not every file system supports it: then the sync at the end writes everything.
    return errno == ENOSYS || errno == EINVAL || errno == ESPIPE || errno == EOPNOTSUPP ? 0 : -errno;
}

long clinux_managed_attribute_names(int fd, char *buffer, size_t size) {
    ssize_t length = flistxattr(fd, buffer, size);
    return length < 0 ? -errno : (long)length;
}

long clinux_managed_attribute(int fd, const char *name, void *buffer, size_t size) {
    ssize_t length = fgetxattr(fd, name, buffer, size);
    return length < 0 ? -errno : (long)length;
}

int clinux_managed_set_attribute(int fd, const char *name, const void *value, size_t size) {
    return fsetxattr(fd, name, value, size, 0) < 0 ? -errno : 0;
}

int clinux_managed_remove_attribute(int fd, const char *name) { return fremovexattr(fd, name) < 0 ? -errno : 0; }
