// Values of the running kernel that adapters read and write. Negative results are negated errno values.

#ifndef CLINUX_ADAPTERS_H
#define CLINUX_ADAPTERS_H

#include <stddef.h>
#include <stdint.h>

/// Opens a kernel value for reading or writing: a regular file of sysfs below /sys/devices, or of /proc.
///
/// Links in the path are followed, except for the last name; -EXDEV if the file is elsewhere.
int clinux_adapters_open(const char *path, int writing);
/// Returns 1 if everyone may read the file at a path, according to its mode, 0 if not (`lstat`).
int clinux_adapters_is_public(const char *path);
/// Reads the value from its beginning, at most `size` bytes.
long clinux_adapters_read(int fd, void *buffer, size_t size);
/// Writes the whole value in one call, as the kernel requires.
long clinux_adapters_write(int fd, const void *bytes, size_t size);
void clinux_adapters_close(int fd);
/// Reads the kernel's host name, without a trailing NUL; returns its length (`uname`).
long clinux_adapters_host_name(char *buffer, size_t size);
/// Sets the kernel's host name (`sethostname`).
int clinux_adapters_set_host_name(const char *name, size_t size);
/// Returns 1 if this process has a capability in its effective set, 0 if not (`capget`).
int clinux_adapters_has_capability(unsigned number);

#endif
