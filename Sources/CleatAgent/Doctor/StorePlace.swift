import CleatAPI
import CleatIO
import CleatOrder
import SystemPackage

/// The file system that the store lies on, as far as it can lose the store: memory, or a root that an update replaces.
struct StorePlace {
    /// The maximum number of bytes of a list of mounts.
    static let limit = 1 << 20
    /// The types of file systems in memory (filesystems(5)); `rootfs` is an unpacked initramfs.
    private static let inMemory: Set<String> = ["tmpfs", "ramfs", "rootfs"]
    /// The files of programs that replace the root file system with each update, and the names of the programs.
    private static let updaters = [
        "/etc/rauc/system.conf": "RAUC", "/etc/mender/mender.conf": "Mender", "/etc/swupdate.cfg": "SWUpdate",
    ]

    /// A mounted file system.
    private struct Mount {
        let id: Substring
        let point: String
        /// The device's number: `8:1`.
        let device: String
        let type: String
        /// The options of the file system itself: `upperdir=/data/upper`.
        let options: [Substring]
    }

    private let mounts: [Mount]

    /// Reads the mounts of the process (`/proc/self/mountinfo`, see proc(5)).
    init(mountinfo: String) {
        mounts = mountinfo.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let dash = words.firstIndex(of: "-"), words.count > dash + 3, dash > 4 else { return nil }
            return Mount(
                id: words[0], point: Self.unescaped(words[4]), device: String(words[2]), type: String(words[dash + 1]),
                options: words[dash + 3].split(separator: ","))
        }
    }

    /// Examines the present place of the store.
    ///
    /// - Parameters:
    ///   - directory: the store's directory, as users call it; links may lead elsewhere.
    ///   - fdinfo: what `/proc/self/fdinfo` has of the open directory: the number of its mount.
    ///   - isThere: returns true if a file exists.
    /// - Returns: the finding; nil if there is none, or the mounts do not show the place.
    func finding(for directory: FilePath, fdinfo: String, isThere: (String) -> Bool) -> DoctorFinding? {
        let line = fdinfo.split(separator: "\n").first { $0.hasPrefix("mnt_id:") }
        let id = line?.drop { !("0"..."9").contains($0) }
        guard let mount = mounts.first(where: { $0.id == id }), let problem = problem(of: mount, isThere) else {
            return nil
        }
        return DoctorFinding(
            kind: .store, subject: directory.string, message: problem,
            remedy: "mount a partition that outlasts that at \(directory), or start the service with --state DIR on one"
        )
    }

    private func problem(of mount: Mount, _ isThere: (String) -> Bool) -> String? {
        if Self.inMemory.contains(mount.type) {
            return "is in memory (\(mount.type) at \(mount.point)): all settings are lost with the next boot"
        }
        if mount.type == "overlay", let option = mount.options.first(where: { $0.hasPrefix("upperdir=") }),
            case let upper = Self.unescaped(option.dropFirst("upperdir=".utf8.count)),
            let below = self.mount(of: upper), Self.inMemory.contains(below.type)
        {
            return
                "is on an overlay whose changes are in memory (\(below.type) at \(below.point)): all settings are lost with "
                + "the next boot"
        }
        guard let root = self.mount(of: "/"), root.device == mount.device,
            let updater = Self.updaters.ordered(by: { $0.key < $1.key }).first(where: { isThere($0.key) })
        else { return nil }
        return
            "is on the root file system, which \(updater.value) (\(updater.key)) replaces with an update: all settings are "
            + "lost with it"
    }

    /// Returns the mount that a path is on: the last one of the longest directory above it.
    private func mount(of path: String) -> Mount? {
        mounts.filter { FilePath(path).starts(with: FilePath($0.point)) }.reduce(nil) { best, mount in
            best.map { $0.point.utf8.count > mount.point.utf8.count } == true ? best : mount
        }
    }

    /// Returns a word without the octal escapes of mountinfo: `\040` is a space.
    private static func unescaped(_ word: Substring) -> String {
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
