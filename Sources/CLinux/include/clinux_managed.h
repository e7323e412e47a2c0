// System calls of managed files and of uploads. Negative results are negated errno values.

#ifndef CLINUX_MANAGED_H
#define CLINUX_MANAGED_H

#include <stddef.h>
#include <stdint.h>

/// Opens a directory relative to `root` as `/`, by a path without links (`openat2`, RESOLVE_IN_ROOT,
/// RESOLVE_NO_SYMLINKS).
int clinux_managed_open_in_root(int root, const char *path);
/// Reads the target of a link, without a trailing NUL; returns its length (`readlinkat`).
long clinux_managed_read_link(int directory, const char *name, char *buffer, size_t size);
/// Makes a symbolic link (`symlinkat`).
int clinux_managed_make_link(const char *target, int directory, const char *name);
/// Sets the owner of a link itself, not of its target (`fchownat`).
int clinux_managed_own_link(int directory, const char *name, uint32_t user, uint32_t group);
/// Returns 1 if something is mounted on a name in a directory, 0 if not (`statx`, or a comparison of mount IDs).
int clinux_managed_is_mount_point(int directory, const char *name);
/// Starts to write a part of a file to the device, and waits for an earlier part; returns 0 if that is not supported.
int clinux_managed_write_back(int fd, int64_t begin, int64_t begin_count, int64_t wait, int64_t wait_count);

/// Lists the names of a file's extended attributes, each with a NUL; with a size of 0, returns the needed size.
long clinux_managed_attribute_names(int fd, char *buffer, size_t size);
/// Reads an extended attribute; with a size of 0, returns its length.
long clinux_managed_attribute(int fd, const char *name, void *buffer, size_t size);
int clinux_managed_set_attribute(int fd, const char *name, const void *value, size_t size);
int clinux_managed_remove_attribute(int fd, const char *name);

#endif
