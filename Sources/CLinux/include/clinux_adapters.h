// Values of the running kernel that adapters read and write. Results below zero are negated error numbers.

#ifndef CLINUX_ADAPTERS_H
#define CLINUX_ADAPTERS_H

#include <stddef.h>
#include <stdint.h>

/// Opens a value of the kernel's to read or to write it: a regular file of sysfs below /sys/devices, or of /proc. Links on
/// the way are followed, one at its end is not; -EXDEV where the file that they lead to is another one.
int clinux_adapters_open(const char *path, int writing);
/// 1 where everybody may read what is at a path, by its mode, 0 where not (`stat`).
int clinux_adapters_is_public(const char *path);
/// Reads the whole value, from its beginning, as far as there is room.
long clinux_adapters_read(int fd, void *buffer, size_t size);
/// Writes the whole value by one call, as the kernel wants it.
long clinux_adapters_write(int fd, const void *bytes, size_t size);
void clinux_adapters_close(int fd);
/// Reads the kernel's host name, without a NUL at its end; returns its length (`uname`).
long clinux_adapters_host_name(char *buffer, size_t size);
/// Sets the kernel's host name (`sethostname`).
int clinux_adapters_set_host_name(const char *name, size_t size);
/// 1 where this process has a capability in effect, 0 where not (`capget`).
int clinux_adapters_has_capability(unsigned number);

#endif
