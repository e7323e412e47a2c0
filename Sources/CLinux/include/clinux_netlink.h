// Netlink sockets: opening, batch-free receiving with the sender's credentials, and dump requests. The structures and
// CMSG macros involved are not importable from Swift.

#ifndef CLINUX_NETLINK_H
#define CLINUX_NETLINK_H

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef SOL_NETLINK
#define SOL_NETLINK 270
#endif

// struct ucred and SCM_CREDENTIALS, which the C library declares only with _GNU_SOURCE; Swift imports it without that.
struct clinux_ucred {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
};
#define CLINUX_SCM_CREDENTIALS 2

// The sender of a netlink message, as reported by the kernel.
struct clinux_netlink_sender {
    uint32_t port;
    uint32_t groups;
    int32_t pid;
    uint32_t uid;
    uint8_t has_credentials;
    uint8_t truncated;
};

// Opens a non-blocking netlink socket that subscribes to a mask of groups; returns the descriptor or -errno.
static inline int clinux_netlink_open(int protocol, uint32_t groups, int receive_buffer) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
    if (fd < 0) return -errno;
    int on = 1;
    if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    if (receive_buffer > 0 &&
        setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &receive_buffer, sizeof receive_buffer) < 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    struct sockaddr_nl address;
    memset(&address, 0, sizeof address);
    address.nl_family = AF_NETLINK;
    address.nl_groups = groups;
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    return fd;
}

// Receives one message without waiting; returns its length or -errno (EAGAIN if there is none, ENOBUFS once after the
// kernel has dropped messages).
static inline long clinux_netlink_receive(int fd, void *buffer, size_t capacity, struct clinux_netlink_sender *sender) {
    struct sockaddr_nl address;
    struct iovec part = {.iov_base = buffer, .iov_len = capacity};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(struct clinux_ucred))];
    } control;
    struct msghdr message;
    memset(&address, 0, sizeof address);
    memset(&message, 0, sizeof message);
    memset(sender, 0, sizeof *sender);
    message.msg_name = &address;
    message.msg_namelen = sizeof address;
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    ssize_t length;
    do {
        length = recvmsg(fd, &message, MSG_DONTWAIT);
    } while (length < 0 && errno == EINTR);
    if (length < 0) return -(long)errno;
    sender->port = address.nl_pid;
    sender->groups = address.nl_groups;
    sender->truncated = (message.msg_flags & MSG_TRUNC) != 0;
    for (struct cmsghdr *item = CMSG_FIRSTHDR(&message); item != NULL; item = CMSG_NXTHDR(&message, item)) {
        if (item->cmsg_level == SOL_SOCKET && item->cmsg_type == CLINUX_SCM_CREDENTIALS &&
            item->cmsg_len >= CMSG_LEN(sizeof(struct clinux_ucred))) {
            struct clinux_ucred credentials;
            memcpy(&credentials, CMSG_DATA(item), sizeof credentials);
            sender->has_credentials = 1;
            sender->pid = credentials.pid;
            sender->uid = credentials.uid;
        }
    }
    return (long)length;
}

// Requests a dump of all objects of a type from rtnetlink; the replies carry the sequence number. Returns 0 or -errno.
static inline int clinux_rtnetlink_dump(int fd, uint16_t type, uint32_t sequence) {
    struct {
        struct nlmsghdr header;
        struct rtgenmsg body;
    } request;
    struct sockaddr_nl kernel;
    memset(&request, 0, sizeof request);
    memset(&kernel, 0, sizeof kernel);
    kernel.nl_family = AF_NETLINK;
    request.header.nlmsg_len = NLMSG_LENGTH(sizeof request.body);
    request.header.nlmsg_type = type;
    request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    request.header.nlmsg_seq = sequence;
    request.body.rtgen_family = AF_UNSPEC;
    ssize_t length;
    do {
        length = sendto(
            fd, &request, request.header.nlmsg_len, MSG_DONTWAIT, (struct sockaddr *)&kernel, sizeof kernel);
    } while (length < 0 && errno == EINTR);
    return length < 0 ? -errno : 0;
}

// Sends bytes to netlink groups, as a message broker or an attacker with privileges would. Returns 0 or -errno.
static inline int clinux_netlink_multicast(int fd, uint32_t groups, const void *bytes, size_t length) {
    struct sockaddr_nl address;
    memset(&address, 0, sizeof address);
    address.nl_family = AF_NETLINK;
    address.nl_groups = groups;
    return sendto(fd, bytes, length, 0, (struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
}

// Returns 1 if a descriptor can be read right now, 0 if not.
static inline int clinux_readable_now(int fd) {
    struct pollfd entry = {.fd = fd, .events = POLLIN};
    return poll(&entry, 1, 0) > 0 && (entry.revents & (POLLIN | POLLERR)) != 0;
}

#endif
