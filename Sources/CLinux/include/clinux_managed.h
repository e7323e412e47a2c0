// System calls of managed files and of uploads. Results below zero are negated error numbers.

#ifndef CLINUX_MANAGED_H
#define CLINUX_MANAGED_H

#include <stddef.h>
#include <stdint.h>

/// Opens a directory with `root` for `/`, on a way without links (`openat2`, RESOLVE_IN_ROOT, RESOLVE_NO_SYMLINKS).
int clinux_managed_open_in_root(int root, const char *path);
/// Reads what a link stands for, without a NUL at its end; returns its length (`readlinkat`).
long clinux_managed_read_link(int directory, const char *name, char *buffer, size_t size);
/// Makes a symbolic link (`symlinkat`).
int clinux_managed_make_link(const char *target, int directory, const char *name);
/// Gives a link itself, not what it stands for, to an owner (`fchownat`).
int clinux_managed_own_link(int directory, const char *name, uint32_t user, uint32_t group);
/// 1 where something is mounted on a name of a directory, 0 where not (`statx`).
int clinux_managed_is_mount_point(int directory, const char *name);
/// Begins to write a part of a file to the device, and waits for an earlier part; 0 where that cannot be asked for.
int clinux_managed_write_back(int fd, int64_t begin, int64_t begin_count, int64_t wait, int64_t wait_count);

/// Lists the names of a file's extended attributes, each with a NUL; with a size of 0, returns how much room they take.
long clinux_managed_attribute_names(int fd, char *buffer, size_t size);
/// Reads an extended attribute; with a size of 0, returns how long it is.
long clinux_managed_attribute(int fd, const char *name, void *buffer, size_t size);
int clinux_managed_set_attribute(int fd, const char *name, const void *value, size_t size);
int clinux_managed_remove_attribute(int fd, const char *name);

#endif
