internal import SystemPackage

/// The names of the processes that use the network of this process.
package enum ProcessNames {
    /// The limit of the list of `/proc`, in bytes.
    private static let namesLimit = 1 << 20

    /// Returns true if a process of root with this name runs in the network namespace of this process
    /// (network_namespaces(7)).
    ///
    /// Processes that this one may not inspect are ignored.
    ///
    /// - Parameter name: The name as in `/proc/PID/comm` (proc(5)), at most 15 bytes.
    /// - Returns: False also if `/proc` cannot be read.
    package static func contains(_ name: String) -> Bool {
        guard let directory = try? Descriptor(owning: Kernel.openForReading("/proc")),
            let pids = try? DirectoryCalls.list(directory.rawValue, byteLimit: namesLimit),
            let own = try? network(of: "self")
        else { return false }
        return pids.contains { pid in
            guard Int32(pid) != nil, let found = try? SmallFile.text("/proc/\(pid)/comm", limit: 64),
                found == name + "\n", isRoots(pid)
            else { return false }
            return (try? network(of: pid)) == own
        }
    }

    /// Returns true if a process belongs to this process's own user: any user could give a process any name.
    private static func isRoots(_ pid: String) -> Bool {
        guard let status = try? SmallFile.text("/proc/\(pid)/status", limit: 4096) else { return false }
        let own = "\(ProcessSelf.uid)"
        return status.split(separator: "\n").contains { line in
            let words = line.split(whereSeparator: { $0 == "\t" || $0 == " " })
            return words.first == "Uid:" && words.count > 2 && (words[2] == "0" || words[2] == own)
        }
    }

    /// Reads the name of a process's network namespace: `net:[4026531840]`.
    private static func network(of process: String) throws(Errno) -> String {
        let directory = Descriptor(owning: try Kernel.openForReading("/proc/\(process)/ns"))
        let link = Descriptor(owning: try DirectoryCalls.openPath("net", in: directory.rawValue))
        return try DirectoryCalls.readLink(link.rawValue)
    }
}
