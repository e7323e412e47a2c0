// What the check of hook files and their programs needs: opening by name in a directory, and looking at descriptors.

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

/// Opens the root directory for looking things up in it. A descriptor, or a negative errno.
int clinux_hooks_open_root(void);
/// Opens a name in a directory without following a link and without touching what it names.
int clinux_hooks_open_path(int directory, const char *name);
/// Opens a file in a directory for reading, without following a link and without waiting.
int clinux_hooks_open_file(int directory, const char *name);
int clinux_hooks_look(int fd, struct clinux_hooks_status *status);
long clinux_hooks_read_link(int fd, char *buffer, size_t size);
int clinux_hooks_is_executable(int directory, const char *name);
long clinux_hooks_read(int fd, void *buffer, size_t size, int64_t offset);
/// Fills a buffer with the names of a directory, each ended by NUL. The bytes used, or a negative errno; -E2BIG where the
/// names do not fit.
long clinux_hooks_list(int directory, char *buffer, size_t size);
uint32_t clinux_hooks_effective_user(void);
uint32_t clinux_hooks_effective_group(void);
int32_t clinux_hooks_process(void);

#endif
