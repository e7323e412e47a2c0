import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

/// The capabilities of the machine for tests; a skipped test prints the reason.
enum Machine {
    static let namespacesReason: Comment = "needs root, to make network and mount namespaces and to enter them"
    static let hasNamespaces = succeeds(
        "exec unshare --net --mount --uts sh -ec 'mount -t sysfs none /sys; ip link; command -v nsenter'",
        or: namespacesReason)

    static let userNamespacesReason: Comment = "needs a user namespace, which hears of none of the machine's devices"
    static let hasUserNamespaces = succeeds(
        "exec unshare --user --map-root-user --net ip link", or: userNamespacesReason)

    static let vethReason: Comment = "needs the ip(8) of iproute2, to make veth pairs in namespaces of its own"
    static let hasVeth = succeeds(
        "exec unshare --net sh -ec 'ip link add cleat-a type veth peer name cleat-b; ip link del cleat-b'",
        or: vethReason)

    static let loopDevicesReason: Comment = "needs a free loop device and the losetup(8) of util-linux"
    static let hasLoopDevices = succeeds("test -e /dev/loop-control && losetup --find", or: loopDevicesReason)

    static let rootReason: Comment = "needs root, to act as another user"
    static let isRoot = succeeds("test $(id -u) -eq 0", or: rootReason)

    static let unprivilegedReason: Comment = "needs the setpriv(1) of util-linux, to start the service as another user"
    static let canStartUnprivileged = succeeds(
        "test $(id -u) -ne 0 || exec setpriv --reuid=65534 --regid=65534 --clear-groups true", or: unprivilegedReason)

    private static func succeeds(_ script: String, or reason: Comment) -> Bool {
        guard let loop = try? EventLoop() else { return false }
        let command = ChildCommand(
            program: .path("/bin/sh"), arguments: ["-c", script], environment: Board.environment,
            timeout: Board.patience)
        if (try? loop.block { try await loop.run(command) })?.isSuccess == true { return true }
        print("tests are skipped: \(reason)")
        return false
    }

    /// Returns true if a script succeeds; otherwise the reason is printed.
    static func can(_ script: String, _ reason: Comment) -> Bool { succeeds(script, or: reason) }
}
