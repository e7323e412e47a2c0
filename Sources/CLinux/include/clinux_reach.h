// Sockets that find out whether another machine can be reached: icmp(7) without privilege, tcp(7).

#ifndef CLINUX_REACH_H
#define CLINUX_REACH_H

#include <stddef.h>
#include <stdint.h>

/// A non-blocking ICMP socket for addresses of 4 or 16 bytes: a datagram socket, EACCES where net.ipv4.ping_group_range
/// leaves the process out; or a raw one, EPERM without CAP_NET_RAW. icmp(7), raw(7)
int clinux_reach_icmp(size_t count, int raw);
/// A non-blocking TCP socket for addresses of 4 or 16 bytes.
int clinux_reach_tcp(size_t count);
/// Begins to connect; `zone` names the link that an IPv6 address is local to, or is NULL.
int clinux_reach_connect(int fd, const uint8_t *address, size_t count, const char *zone, uint16_t port);
/// The error that a connection has ended in, negated; 0 where it stands.
int clinux_reach_error(int fd);

#endif
