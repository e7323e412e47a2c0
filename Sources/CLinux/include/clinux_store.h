// System calls of the durable write and of the store's directory. Negative results are negated errno values.

#ifndef CLINUX_STORE_H
#define CLINUX_STORE_H

#include <stddef.h>
#include <stdint.h>

int clinux_store_create(int directory, const char *name);
int clinux_store_open(int directory, const char *name, int writing);
int clinux_store_open_directory(const char *path);
/// Reads the mode, the number of links and the owner of a name, without opening it or following a link.
int clinux_store_look(int directory, const char *name, uint32_t *mode, uint64_t *links, uint32_t *owner);
/// Reads the owner of an open directory; returns 1 if the path still leads to it, 0 if not.
int clinux_store_place(int directory, const char *path, uint32_t *owner);
int clinux_store_make_directory(const char *path, unsigned mode);
long clinux_store_write(int fd, const void *bytes, size_t count);
long clinux_store_read_at(int fd, void *bytes, size_t count, int64_t offset);
long clinux_store_write_at(int fd, const void *bytes, size_t count, int64_t offset);
int clinux_store_fdatasync(int fd);
int clinux_store_fsync(int fd);
void clinux_store_fsync_above(int directory);
int clinux_store_fchmod(int fd, unsigned mode);
int clinux_store_fchown(int fd, uint32_t user, uint32_t group);
int clinux_store_close(int fd);
int clinux_store_rename(int directory, const char *from, const char *to);
/// Renames a file, but never over an existing one. On file systems without the flag, the target is checked first.
int clinux_store_rename_exclusive(int directory, const char *from, const char *to);
int clinux_store_unlink(int directory, const char *name);
int clinux_store_lock(int fd);
void clinux_store_unlock(int fd);
/// Reads the size and mode of an open file.
int clinux_store_status(int fd, int64_t *size, uint32_t *mode);
/// Returns the size of a file in a directory.
int64_t clinux_store_size(int directory, const char *name);
int clinux_store_is_regular(uint32_t mode);
/// Returns the bytes that this user may still write on the file system.
int64_t clinux_store_free_bytes(int fd);
/// Writes the current UTC time in a form that is valid in a file name, and returns its length.
int clinux_store_stamp(char *out, size_t count);
/// Passes the name of each entry of a directory to `each`.
int clinux_store_list(int directory, void *context, void (*each)(void *context, const char *name));

#endif
