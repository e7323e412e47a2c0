/// The name of a kernel parameter in the format of sysctl.d(5).
///
/// If its first separator is a slash, it is a path; otherwise dots separate its parts, and a slash stands for a dot.
struct SysctlName: Hashable {
    /// The path below `/proc/sys`.
    let path: String

    /// Reads a name; nil if it is not valid.
    init?(_ text: String) {
        let separator = text.utf8.first { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") }
        if separator == UInt8(ascii: "/") {
            path = text
        } else {
            // With dots as separators, the dot in an interface's name (`eth0.100`) is written as a slash.
            path = String(text.map { $0 == "." ? "/" : $0 == "/" ? "." : $0 })
        }
        guard KernelValue.isPlain(path) else { return nil }
    }

    /// The name in the format of files in `/etc/sysctl.d`.
    var text: String {
        path.utf8.contains(UInt8(ascii: ".")) ? path : String(path.map { $0 == "/" ? "." : $0 })
    }

    /// The reason why Cleat refuses to set it, as the end of a sentence that begins with the setting.
    ///
    /// It is nil if the kernel neither runs programs by the parameter nor protects the system with it.
    var reasonNotToSet: String? {
        if Self.isIn(Self.programs, path) {
            return "has the kernel run programs as root, and is not set from here; set it in /etc/sysctl.d as root"
        }
        if Self.isIn(Self.protections, path) {
            return "protects the system from its own users, and is not set from here; set it in /etc/sysctl.d as root"
        }
        return nil
    }

    /// True if members of group `cleat` may set it: it tunes the network, memory, or the kernel's reports.
    var isForOperators: Bool { Self.isIn(Self.tuning, path) && !Self.isIn(Self.rootsTuning, path) }

    /// Returns true if a path is in a list; a name that ends with a slash or an underscore is a prefix.
    private static func isIn(_ names: [String], _ path: String) -> Bool {
        names.contains {
            $0.utf8.last == UInt8(ascii: "/") || $0.utf8.last == UInt8(ascii: "_") ? path.hasPrefix($0) : path == $0
        }
    }

    /// The parameters by which the kernel runs programs, or registers them
    /// (Documentation/admin-guide/sysctl/kernel.rst).
    private static let programs = [
        "kernel/core_pattern", "kernel/modprobe", "kernel/hotplug", "kernel/poweroff_cmd", "fs/binfmt_misc/",
        "kernel/usermodehelper/",
    ]
    /// The parameters that protect memory, programs and files from other users (sysctl/kernel.rst, fs.rst, vm.rst).
    private static let protections = [
        "fs/suid_dumpable", "fs/protected_", "kernel/randomize_va_space", "vm/mmap_min_addr",
        "kernel/unprivileged_bpf_disabled", "kernel/cad_pid",
    ]
    private static let tuning = [
        "net/", "vm/", "dev/", "fs/aio-max-nr", "fs/file-max", "fs/inotify/", "fs/mqueue/", "fs/nr_open",
        "kernel/hung_task_",
        "kernel/msgmax", "kernel/msgmnb", "kernel/msgmni", "kernel/panic", "kernel/panic_on_oops", "kernel/pid_max",
        "kernel/printk", "kernel/sched_", "kernel/sem", "kernel/shmall", "kernel/shmmax", "kernel/shmmni",
        "kernel/threads-max", "kernel/watchdog", "kernel/watchdog_thresh",
    ]
    /// The parameters in those subtrees that control permissions.
    private static let rootsTuning = [
        "net/core/bpf_", "vm/mmap_", "vm/unprivileged_", "vm/hugetlb_shm_group", "vm/legacy_va_layout",
        "dev/tty/ldisc_autoload", "dev/tty/legacy_tiocsti", "net/ipv4/ping_group_range",
        "net/ipv4/ip_unprivileged_port_start",
    ]
}
