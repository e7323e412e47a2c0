// Synchronous requests to rtnetlink. Negative results are negated errno values.

#ifndef CLINUX_ROUTE_H
#define CLINUX_ROUTE_H

#include <stddef.h>
#include <stdint.h>

/// Opens a socket for requests to rtnetlink; if the kernel supports it, its errors contain a text. The time limit
/// applies to each wait for a reply.
int clinux_route_open(unsigned milliseconds);
/// The same for generic netlink (linux/genetlink.h).
int clinux_generic_open(unsigned milliseconds);
/// Receives the messages of a multicast group, too.
int clinux_generic_join(int fd, uint32_t group);
/// Sends one complete request.
int clinux_route_send(int fd, const void *bytes, size_t size);
/// Receives one datagram from the kernel; -ETIMEDOUT if none arrives in time, -EMSGSIZE if it does not fit the buffer.
long clinux_route_receive(int fd, void *buffer, size_t size);
void clinux_route_close(int fd);

#endif
