#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "clinux_landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The numbers are the same on every architecture; older headers lack all of this.
#define CLINUX_LANDLOCK_CREATE 444
#define CLINUX_LANDLOCK_ADD 445
#define CLINUX_LANDLOCK_RESTRICT 446
#define CLINUX_LANDLOCK_VERSION (1U << 0)
#define CLINUX_LANDLOCK_PATH_BENEATH 1

struct clinux_landlock_ruleset {
    uint64_t handled_access_fs;
};

struct clinux_landlock_path_beneath {
    uint64_t allowed_access;
    int32_t parent_fd;
} __attribute__((packed));

int clinux_landlock_abi(void) {
    long version = syscall(CLINUX_LANDLOCK_CREATE, NULL, (size_t)0, CLINUX_LANDLOCK_VERSION);
    return version < 0 ? -errno : (int)version;
}

int clinux_landlock_ruleset(uint64_t handled) {
    struct clinux_landlock_ruleset rules = {.handled_access_fs = handled};
    int fd = (int)syscall(CLINUX_LANDLOCK_CREATE, &rules, sizeof rules, 0);
    if (fd < 0) return -errno;
    if (fd > 2) return fd;
    // A child replaces the standard descriptors by its own.
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    int error = errno;
    close(fd);
    return moved < 0 ? -error : moved;
}

int clinux_landlock_place(const char *path) {
    int fd = open(path, O_PATH | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int clinux_landlock_allow(int ruleset, int place, uint64_t below_directory, uint64_t on_file) {
    struct stat status;
    if (fstat(place, &status) < 0) return -errno;
    struct clinux_landlock_path_beneath rule = {
        .allowed_access = S_ISDIR(status.st_mode) ? below_directory : on_file,
        .parent_fd = place,
    };
    return syscall(CLINUX_LANDLOCK_ADD, ruleset, CLINUX_LANDLOCK_PATH_BENEATH, &rule, 0) < 0 ? -errno : 0;
}

int clinux_landlock_restrict(int ruleset) {
    return (int)syscall(CLINUX_LANDLOCK_RESTRICT, ruleset, 0);
}
