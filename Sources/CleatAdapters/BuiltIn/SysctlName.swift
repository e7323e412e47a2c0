/// The name of a kernel parameter, as sysctl.d(5) has it: with dots or slashes, whichever comes first, between its parts.
struct SysctlName: Hashable {
    /// The path below `/proc/sys`.
    let path: String

    /// Reads a name; nil where it is none.
    init?(_ text: String) {
        let separator = text.utf8.first { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") }
        if separator == UInt8(ascii: "/") {
            path = text
        } else {
            // The other way round, the dot of an interface's name (`eth0.100`) is written as a slash.
            path = String(text.map { $0 == "." ? "/" : $0 == "/" ? "." : $0 })
        }
        guard KernelValue.isPlain(path) else { return nil }
    }

    /// The name as a file of `/etc/sysctl.d` has it.
    var text: String {
        path.utf8.contains(UInt8(ascii: ".")) ? path : String(path.map { $0 == "/" ? "." : $0 })
    }

    /// Whether the kernel runs what the parameter names, or takes programs from it: only who is root already may set that.
    var runsPrograms: Bool {
        let names = ["kernel/core_pattern", "kernel/modprobe", "kernel/hotplug", "kernel/poweroff_cmd"]
        return names.contains(path) || ["fs/binfmt_misc/", "kernel/usermodehelper/"].contains { path.hasPrefix($0) }
    }
}
