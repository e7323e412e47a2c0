// System calls for the check of hook files and their programs: opening names in a directory, and reading their status.

#ifndef CLINUX_HOOKS_H
#define CLINUX_HOOKS_H

#include <stddef.h>
#include <stdint.h>

struct clinux_hooks_status {
    uint32_t uid;
    uint32_t gid;
    uint32_t mode;
    uint64_t size;
};

/// Opens the root directory to resolve names in it (`O_PATH`). Returns a descriptor, or the negated errno.
int clinux_hooks_open_root(void);
/// Opens a name in a directory with `O_PATH`, without following a link.
int clinux_hooks_open_path(int directory, const char *name);
/// Opens a file in a directory for reading, without following a link and without blocking.
int clinux_hooks_open_file(int directory, const char *name);
int clinux_hooks_look(int fd, struct clinux_hooks_status *status);
long clinux_hooks_read_link(int fd, char *buffer, size_t size);
int clinux_hooks_is_executable(int directory, const char *name);
/// Fills a buffer with the names in a directory, each terminated by NUL. Returns the bytes used, or the negated errno;
/// -E2BIG if the names do not fit.
long clinux_hooks_list(int directory, char *buffer, size_t size);

#endif
