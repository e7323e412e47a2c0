// Small reads below a directory descriptor, which walks of sysfs make by the hundred: each is one call without a string
// and an object for every step.

#ifndef CLINUX_SYSFS_H
#define CLINUX_SYSFS_H

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// Opens a directory; returns the descriptor or -errno.
static inline int clinux_open_directory(int directory, const char *path) {
    int fd = openat(directory, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
    return fd < 0 ? -errno : fd;
}

// Reads the beginning of a file; returns the number of bytes or -errno.
static inline long clinux_read_file(int directory, const char *path, void *buffer, size_t capacity) {
    int fd = openat(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return -(long)errno;
    size_t length = 0;
    while (length < capacity) {
        ssize_t part = read(fd, (char *)buffer + length, capacity - length);
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) {
            long error = errno;
            close(fd);
            return -error;
        }
        if (part == 0) break;
        length += (size_t)part;
    }
    close(fd);
    return (long)length;
}

// Reads a symbolic link; returns the number of bytes or -errno.
static inline long clinux_read_link(int directory, const char *path, void *buffer, size_t capacity) {
    ssize_t length = readlinkat(directory, path, (char *)buffer, capacity);
    return length < 0 ? -(long)errno : (long)length;
}

// Returns 1 if a path exists, 0 if not.
static inline int clinux_exists(int directory, const char *path) {
    return faccessat(directory, path, F_OK, 0) == 0;
}

// Reads directory entries (struct linux_dirent64); returns the number of bytes, 0 at the end, or -errno.
static inline long clinux_directory_entries(int fd, void *buffer, size_t capacity) {
    long length = syscall(SYS_getdents64, fd, buffer, capacity);
    return length < 0 ? -(long)errno : length;
}

#endif
