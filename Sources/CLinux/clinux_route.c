#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "clinux_route.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif
// Since Linux 4.12 and 4.3; older headers lack them.
#define CLINUX_NETLINK_CAP_ACK 10
#define CLINUX_NETLINK_EXT_ACK 11

static int clinux_netlink_open(unsigned milliseconds, int protocol) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
    if (fd < 0) return -errno;
    // A kernel that lacks one of them sends its errors without a text, or with the request in them.
    int on = 1;
    (void)setsockopt(fd, SOL_NETLINK, CLINUX_NETLINK_CAP_ACK, &on, sizeof on);
    (void)setsockopt(fd, SOL_NETLINK, CLINUX_NETLINK_EXT_ACK, &on, sizeof on);
    struct timeval limit = {.tv_sec = milliseconds / 1000, .tv_usec = (milliseconds % 1000) * 1000};
    struct sockaddr_nl kernel;
    memset(&kernel, 0, sizeof kernel);
    kernel.nl_family = AF_NETLINK;
    // A socket that is connected to the kernel receives no datagrams of other processes.
    if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) < 0 ||
        connect(fd, (struct sockaddr *)&kernel, sizeof kernel) < 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    return fd;
}

int clinux_route_open(unsigned milliseconds) { return clinux_netlink_open(milliseconds, NETLINK_ROUTE); }

int clinux_generic_open(unsigned milliseconds) { return clinux_netlink_open(milliseconds, NETLINK_GENERIC); }

int clinux_generic_join(int fd, uint32_t group) {
    return setsockopt(fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof group) < 0 ? -errno : 0;
}

int clinux_route_send(int fd, const void *bytes, size_t size) {
    ssize_t sent;
    do sent = send(fd, bytes, size, 0);
    while (sent < 0 && errno == EINTR);
    if (sent < 0) return -errno;
    return (size_t)sent == size ? 0 : -EIO;
}

long clinux_route_receive(int fd, void *buffer, size_t size) {
    ssize_t length;
    do length = recv(fd, buffer, size, MSG_TRUNC);
    while (length < 0 && errno == EINTR);
    if (length < 0) return errno == EAGAIN || errno == EWOULDBLOCK ? -ETIMEDOUT : -(long)errno;
    return (size_t)length > size ? -EMSGSIZE : (long)length;
}

void clinux_route_close(int fd) { close(fd); }
