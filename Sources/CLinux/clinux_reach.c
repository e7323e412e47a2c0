#define _GNU_SOURCE
#include "clinux_reach.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

static int clinux_reach_socket(size_t count, int type, int protocol) {
    int fd = socket(count == 4 ? AF_INET : AF_INET6, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
    return fd < 0 ? -errno : fd;
}

int clinux_reach_icmp(size_t count, int raw) {
    return clinux_reach_socket(count, raw ? SOCK_RAW : SOCK_DGRAM, count == 4 ? IPPROTO_ICMP : IPPROTO_ICMPV6);
}

int clinux_reach_tcp(size_t count) { return clinux_reach_socket(count, SOCK_STREAM, 0); }

int clinux_reach_connect(int fd, const uint8_t *address, size_t count, const char *zone, uint16_t port) {
    int result;
    if (count == 4) {
        struct sockaddr_in to;
        memset(&to, 0, sizeof to);
        to.sin_family = AF_INET;
        to.sin_port = htons(port);
        memcpy(&to.sin_addr, address, 4);
        do { result = connect(fd, (struct sockaddr *)&to, sizeof to); } while (result < 0 && errno == EINTR);
    } else if (count == 16) {
        struct sockaddr_in6 to;
        memset(&to, 0, sizeof to);
        to.sin6_family = AF_INET6;
        to.sin6_port = htons(port);
        memcpy(&to.sin6_addr, address, 16);
        if (zone && !(to.sin6_scope_id = if_nametoindex(zone))) return -ENXIO;
        do { result = connect(fd, (struct sockaddr *)&to, sizeof to); } while (result < 0 && errno == EINTR);
    } else {
        return -EINVAL;
    }
    return result < 0 ? -errno : 0;
}

int clinux_reach_error(int fd) {
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0) return -errno;
    return -error;
}
