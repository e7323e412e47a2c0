#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "ctest_kernel.h"

#include <sched.h>
#include <sys/mount.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int ctest_refuse_openat2(void) {
    // openat2 has the same number on every architecture.
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 437, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return -errno;
    // For all threads of the process: operations run on any of them.
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) < 0) return -errno;
    return 0;
}

int ctest_exchange(const char *one, const char *other) {
    return syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, 2u /* RENAME_EXCHANGE */) < 0 ? -errno : 0;
}

int ctest_enter_namespaces(void) {
    if (unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS) < 0) return -errno;
    if (mount("none", "/", 0, MS_REC | MS_PRIVATE, 0) < 0) return -errno;
    return mount("none", "/sys", "sysfs", 0, 0) < 0 ? -errno : 0;
}

int ctest_bind_mount(const char *source, const char *target) {
    return mount(source, target, 0, MS_BIND, 0) < 0 ? -errno : 0;
}

int ctest_mount_read_only(const char *place) {
    if (mount(place, place, 0, MS_BIND, 0) < 0) return -errno;
    return mount(0, place, 0, MS_REMOUNT | MS_BIND | MS_RDONLY, 0) < 0 ? -errno : 0;
}

int ctest_mount_memory(const char *target) {
    return mount("none", target, "tmpfs", 0, "mode=1777") < 0 ? -errno : 0;
}

int ctest_unmount(const char *target) { return umount2(target, MNT_DETACH) < 0 ? -errno : 0; }

struct link_request {
    struct nlmsghdr header;
    struct ifinfomsg link;
    char attributes[256];
};

static struct rtattr *put(struct link_request *request, unsigned short type, const void *bytes, size_t size) {
    struct rtattr *attribute = (struct rtattr *)((char *)request + NLMSG_ALIGN(request->header.nlmsg_len));
    attribute->rta_type = type;
    attribute->rta_len = RTA_LENGTH(size);
    if (size > 0) memcpy(RTA_DATA(attribute), bytes, size);
    request->header.nlmsg_len = NLMSG_ALIGN(request->header.nlmsg_len) + RTA_ALIGN(attribute->rta_len);
    return attribute;
}

static void end(struct link_request *request, struct rtattr *attribute) {
    attribute->rta_len = (char *)request + NLMSG_ALIGN(request->header.nlmsg_len) - (char *)attribute;
}

static int ask(struct link_request *request) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0) return -errno;
    char answer[4096];
    int result = 0;
    if (send(fd, request, request->header.nlmsg_len, 0) < 0 || recv(fd, answer, sizeof answer, 0) < 0)
        result = -errno;
    else
        result = ((struct nlmsgerr *)NLMSG_DATA((struct nlmsghdr *)answer))->error;
    close(fd);
    return result;
}

int ctest_make_link(const char *name, const char *peer, int peer_is_up) {
    struct link_request request = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)), .nlmsg_type = RTM_NEWLINK,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL}};
    struct ifinfomsg empty = {.ifi_family = AF_UNSPEC};
    put(&request, IFLA_IFNAME, name, strlen(name) + 1);
    struct rtattr *info = put(&request, IFLA_LINKINFO, NULL, 0);
    put(&request, IFLA_INFO_KIND, "veth", 4);
    struct rtattr *data = put(&request, IFLA_INFO_DATA, NULL, 0);
    struct rtattr *other = put(&request, VETH_INFO_PEER, &empty, sizeof empty);
    put(&request, IFLA_IFNAME, peer, strlen(peer) + 1);
    end(&request, other);
    end(&request, data);
    end(&request, info);
    int result = ask(&request);
    if (result < 0 || !peer_is_up) return result;
    struct link_request up = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)), .nlmsg_type = RTM_NEWLINK,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
        .link = {.ifi_flags = IFF_UP, .ifi_change = IFF_UP}};
    put(&up, IFLA_IFNAME, peer, strlen(peer) + 1);
    return ask(&up);
}

int ctest_remove_link(const char *name) {
    struct link_request request = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)), .nlmsg_type = RTM_DELLINK,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK}};
    put(&request, IFLA_IFNAME, name, strlen(name) + 1);
    return ask(&request);
}
