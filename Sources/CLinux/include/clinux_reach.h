// Sockets for checking that another machine can be reached: icmp(7) without privilege, tcp(7).

#ifndef CLINUX_REACH_H
#define CLINUX_REACH_H

#include <stddef.h>
#include <stdint.h>

/// Opens a non-blocking ICMP socket for addresses of 4 or 16 bytes: a datagram socket, EACCES if
/// net.ipv4.ping_group_range excludes the process; or a raw one, EPERM without CAP_NET_RAW. icmp(7), raw(7)
int clinux_reach_icmp(size_t count, int raw);
/// Opens a non-blocking TCP socket for addresses of 4 or 16 bytes.
int clinux_reach_tcp(size_t count);
/// Starts to connect; `zone` is the link of a link-local IPv6 address, or NULL.
int clinux_reach_connect(int fd, const uint8_t *address, size_t count, const char *zone, uint16_t port);
/// Returns the negated error with which a connection attempt failed (SO_ERROR); 0 if there is none.
int clinux_reach_error(int fd);

#endif
