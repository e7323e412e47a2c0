#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "clinux_adapters.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

int clinux_adapters_open(const char *path, int writing) {
    // Checked before it is opened: opening a device could already have an effect.
    int look = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (look < 0) return -errno;
    struct stat status;
    struct statfs system;
    int result;
    if (fstat(look, &status) < 0 || fstatfs(look, &system) < 0)
        result = -errno;
    else if (S_ISDIR(status.st_mode))
        result = -EISDIR;
    else if (S_ISLNK(status.st_mode))
        result = -ELOOP;
    else if (!S_ISREG(status.st_mode))
        result = -ENXIO;
    else if (system.f_type != SYSFS_MAGIC && system.f_type != PROC_SUPER_MAGIC)
        result = -EXDEV;
    else {
        char again[64], place[64];
        snprintf(again, sizeof again, "/proc/self/fd/%d", look);
        // sysfs links lead from a device to its driver and its bus, which belong to no device.
        ssize_t length = system.f_type == SYSFS_MAGIC ? readlink(again, place, sizeof place) : 0;
        if (system.f_type == SYSFS_MAGIC && (length < 13 || memcmp(place, "/sys/devices/", 13) != 0)) {
            close(look);
            return -EXDEV;
        }
        int fd = open(again, (writing ? O_WRONLY : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        result = fd < 0 ? -errno : fd;
    }
    close(look);
    return result;
}

int clinux_adapters_is_public(const char *path) {
    struct stat status;
    if (lstat(path, &status) < 0) return -errno;
    return (status.st_mode & S_IROTH) != 0;
}

long clinux_adapters_read(int fd, void *buffer, size_t size) {
    size_t length = 0;
    while (length < size) {
        ssize_t part = pread(fd, (char *)buffer + length, size - length, (off_t)length);
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) return -(long)errno;
        if (part == 0) break;
        length += (size_t)part;
    }
    return (long)length;
}

long clinux_adapters_write(int fd, const void *bytes, size_t size) {
    ssize_t written;
    do written = pwrite(fd, bytes, size, 0);
    while (written < 0 && errno == EINTR);
    return written < 0 ? -(long)errno : (long)written;
}

void clinux_adapters_close(int fd) { close(fd); }

long clinux_adapters_host_name(char *buffer, size_t size) {
    struct utsname names;
    if (uname(&names) < 0) return -(long)errno;
    size_t length = strnlen(names.nodename, sizeof names.nodename);
    if (length > size) return -ENAMETOOLONG;
    memcpy(buffer, names.nodename, length);
    return (long)length;
}

int clinux_adapters_set_host_name(const char *name, size_t size) { return sethostname(name, size) < 0 ? -errno : 0; }

int clinux_adapters_has_capability(unsigned number) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, data) < 0) return -errno;
    return (data[number / 32].effective >> (number % 32)) & 1;
}
