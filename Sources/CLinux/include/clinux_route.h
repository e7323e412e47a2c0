// Requests to rtnetlink that are answered before anything else is done. Results below zero are negated error numbers.

#ifndef CLINUX_ROUTE_H
#define CLINUX_ROUTE_H

#include <stddef.h>
#include <stdint.h>

/// Opens a socket for requests to rtnetlink; the kernel says in words why it refuses one, where it can. No answer is
/// waited for longer than the time limit.
int clinux_route_open(unsigned milliseconds);
/// Sends one request, whole.
int clinux_route_send(int fd, const void *bytes, size_t size);
/// Receives one datagram of the kernel's; -ETIMEDOUT where none comes in time, -EMSGSIZE where there is no room for it.
long clinux_route_receive(int fd, void *buffer, size_t size);
void clinux_route_close(int fd);

#endif
