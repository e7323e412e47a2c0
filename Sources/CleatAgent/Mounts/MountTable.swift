import CleatIO
import SystemPackage

/// The mounts of the process: `/proc/self/mountinfo`, see proc_pid_mountinfo(5).
struct MountTable {
    /// A mounted file system.
    struct Mount {
        let id: Substring
        let point: FilePath
        /// The device's number: `8:1`.
        let device: String
        let type: String
        /// The options of the file system itself: `upperdir=/data/upper`.
        let options: [Substring]
    }

    /// The path of the list.
    static let path: FilePath = "/proc/self/mountinfo"
    /// The maximum number of bytes of the list.
    private static let limit = 1 << 20

    let mounts: [Mount]

    /// Parses the list; lines of another form are ignored.
    init(mountinfo: String) {
        mounts = mountinfo.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let dash = words.firstIndex(of: "-"), words.count > dash + 3, dash > 4 else { return nil }
            return Mount(
                id: words[0], point: FilePath(Self.unescaped(words[4])), device: String(words[2]),
                type: String(words[dash + 1]), options: words[dash + 3].split(separator: ","))
        }
    }

    /// Reads the present list.
    ///
    /// - Throws: The error of open(2) or read(2): `/proc` may not be mounted.
    static func read() throws(Errno) -> MountTable {
        MountTable(mountinfo: try SmallFile.text(path.string, limit: limit))
    }

    /// Returns the mount that a path is on: the last one of the longest directory above it.
    func mount(of path: FilePath) -> Mount? {
        mounts.filter { path.starts(with: $0.point) }.reduce(nil) { best, mount in
            best.map { $0.point.components.count > mount.point.components.count } == true ? best : mount
        }
    }

    /// Returns the mount of an open file by its `/proc/self/fdinfo`.
    func mount(fdinfo: String) -> Mount? {
        let line = fdinfo.split(separator: "\n").first { $0.hasPrefix("mnt_id:") }
        let id = line?.drop { !("0"..."9").contains($0) }
        return mounts.first { $0.id == id }
    }

    /// The types of file systems in memory (filesystems(5)); `rootfs` is an unpacked initramfs.
    private static let inMemory: Set<String> = ["tmpfs", "ramfs", "rootfs"]

    /// Returns the file system in memory that takes what is written to a mount: its own, or that of an overlay's upper
    /// directory; nil if there is none.
    func memory(below mount: Mount) -> Mount? {
        if Self.inMemory.contains(mount.type) { return mount }
        guard mount.type == "overlay", let option = mount.options.first(where: { $0.hasPrefix("upperdir=") }),
            case let upper = Self.unescaped(option.dropFirst("upperdir=".utf8.count)),
            let below = self.mount(of: FilePath(upper)), Self.inMemory.contains(below.type)
        else { return nil }
        return below
    }

    /// Returns true if a file system is mounted at a directory.
    func isMounted(at point: FilePath) -> Bool { mounts.contains { $0.point == point } }

    /// Returns a word without the octal escapes of mountinfo and fstab: `\040` is a space.
    static func unescaped(_ word: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(word.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let escaped = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(escaped)
                rest.removeFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
