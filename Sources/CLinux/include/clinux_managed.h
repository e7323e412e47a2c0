// System calls of managed files and of uploads. Results below zero are negated error numbers.

#ifndef CLINUX_MANAGED_H
#define CLINUX_MANAGED_H

#include <stddef.h>
#include <stdint.h>

/// Opens a directory with `root` for `/`: links are followed and lead nowhere else (`openat2`, RESOLVE_IN_ROOT).
int clinux_managed_open_in_root(int root, const char *path);
/// Reads what a link stands for, without a NUL at its end; returns its length (`readlinkat`).
long clinux_managed_read_link(int directory, const char *name, char *buffer, size_t size);
/// 1 where something is mounted on a name of a directory, 0 where not (`statx`).
int clinux_managed_is_mount_point(int directory, const char *name);
/// Begins to write a part of a file to the device, and waits for an earlier part; 0 where that cannot be asked for.
int clinux_managed_write_back(int fd, int64_t begin, int64_t begin_count, int64_t wait, int64_t wait_count);

#endif
