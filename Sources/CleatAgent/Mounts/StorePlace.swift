import CleatAPI
import CleatIO
import CleatOrder
import SystemPackage

/// The file system that the store lies on, as far as it can lose the store: memory, or a root that an update replaces.
struct StorePlace {
    /// The files of programs that replace the root file system with each update, and the names of the programs.
    private static let updaters = [
        "/etc/rauc/system.conf": "RAUC", "/etc/mender/mender.conf": "Mender", "/etc/swupdate.cfg": "SWUpdate",
    ]

    let mounts: MountTable

    /// Examines the present place of the store.
    ///
    /// - Parameters:
    ///   - directory: the store's directory, as users call it; links may lead elsewhere.
    ///   - fdinfo: what `/proc/self/fdinfo` has of the open directory: the number of its mount.
    ///   - isThere: returns true if a file exists.
    /// - Returns: the finding; nil if there is none, or the mounts do not show the place.
    func finding(for directory: FilePath, fdinfo: String, isThere: (String) -> Bool) -> DoctorFinding? {
        guard let mount = mounts.mount(fdinfo: fdinfo), let problem = problem(of: mount, isThere) else {
            return nil
        }
        return DoctorFinding(
            kind: .store, subject: directory.string, message: problem,
            remedy: "mount a partition that outlasts that at \(directory), or start the service with --state DIR on one"
        )
    }

    /// Examines if systemd may start the service before the file system of the store is mounted: local-fs.target does not
    /// wait for a mount with the option `nofail`, see systemd.mount(5).
    ///
    /// - Parameters:
    ///   - directory: the store's directory, as users call it.
    ///   - fdinfo: what `/proc/self/fdinfo` has of the open directory.
    ///   - table: the contents of `/etc/fstab`.
    ///   - dropIns: the contents of the drop-ins of the service's unit.
    /// - Returns: the finding, with the drop-in that orders them; nil if they are ordered.
    func orderFinding(
        for directory: FilePath, fdinfo: String, table: String, dropIns: [String]
    ) -> DoctorFinding? {
        guard let mount = mounts.mount(fdinfo: fdinfo),
            let entry = RequiredMounts.entries(of: table).last(where: { $0.point == mount.point }),
            // A mount that needs the network comes after the service in any case.
            entry.options.contains("nofail"), !entry.options.contains("_netdev"),
            !entry.options.contains("x-systemd.before=cleatd.service")
        else { return nil }
        let unit = Self.unit(of: mount.point)
        guard !dropIns.contains(where: { Self.orders($0, after: unit) }) else { return nil }
        return DoctorFinding(
            kind: .store, subject: directory.string,
            message:
                "is on \(mount.point), which /etc/fstab mounts with nofail: the service may start before that, and then "
                + "waits for it",
            remedy:
                "let the unit wait: write the lines “[Unit]” and “After=\(unit)” to \(Self.dropIns)/mount.conf, then run "
                + "'systemctl daemon-reload'")
    }

    private static func orders(_ dropIn: String, after unit: String) -> Bool {
        dropIn.split(separator: "\n").contains { line in
            if line.hasPrefix("RequiresMountsFor=") || line.hasPrefix("WantsMountsFor=") { return true }
            return line.hasPrefix("After=")
                && line.dropFirst("After=".utf8.count).split(separator: " ").contains { $0 == unit }
        }
    }

    /// The directory of the administrator's drop-ins for the unit.
    static let dropIns = "/etc/systemd/system/cleatd.service.d"

    /// Returns the name of a directory's mount unit, as systemd-escape(1) writes it.
    static func unit(of point: FilePath) -> String {
        let name = point.components.map { component in
            component.string.utf8.enumerated().map { index, byte in
                let character = Character(UnicodeScalar(byte))
                let isPlain = byte < 0x80 && (character.isLetter || character.isNumber || ":_.".contains(character))
                if isPlain, index > 0 || byte != UInt8(ascii: ".") { return String(character) }
                return (byte < 16 ? "\\x0" : "\\x") + String(byte, radix: 16)
            }.joined()
        }
        return name.joined(separator: "-") + ".mount"
    }

    private func problem(of mount: MountTable.Mount, _ isThere: (String) -> Bool) -> String? {
        if let memory = mounts.memory(below: mount) {
            return
                memory.id == mount.id
                ? "is in memory (\(mount.type) at \(mount.point)): all settings are lost with the next boot"
                : "is on an overlay whose changes are in memory (\(memory.type) at \(memory.point)): all settings are lost with "
                    + "the next boot"
        }
        guard let root = mounts.mount(of: "/"), root.device == mount.device,
            let updater = Self.updaters.ordered(by: { $0.key < $1.key }).first(where: { isThere($0.key) })
        else { return nil }
        return
            "is on the root file system, which \(updater.value) (\(updater.key)) replaces with an update: all settings are "
            + "lost with it"
    }
}
