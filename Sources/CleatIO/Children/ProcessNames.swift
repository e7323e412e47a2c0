internal import CLinux
internal import SystemPackage

/// The names of the processes that use the network of this process.
package enum ProcessNames {
    /// The longest wait for the end of a killed process, in milliseconds.
    private static let patience: Int32 = 2000
    /// The limit of a command line that is read, in bytes.
    private static let commandLimit = 4096
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
        contains { (try? SmallFile.text("/proc/\($0)/comm", limit: 64)) == name + "\n" }
    }

    /// Returns true if a process of root with these words in its command line runs in the network namespace of this
    /// process.
    ///
    /// - Parameters:
    ///   - program: The name of the program, without its directory.
    ///   - words: The words that follow each other in its arguments.
    /// - Returns: False also if `/proc` cannot be read.
    package static func contains(_ program: String, with words: [String]) -> Bool {
        contains { isCommand($0, program, words) }
    }

    /// Kills the processes of root with these words in their command lines in the network namespace of this process,
    /// and waits for their end (pidfd_send_signal(2)).
    ///
    /// - Parameters:
    ///   - program: The name of the program, without its directory.
    ///   - words: The words that follow each other in its arguments.
    /// - Returns: False if one still runs, or if `/proc` cannot be read.
    package static func kill(_ program: String, with words: [String]) -> Bool {
        guard (try? network(of: "self")) != nil else { return false }
        _ = contains { pid in
            guard isCommand(pid, program, words), let number = Int32(pid) else { return false }
            let file = clinux_open_process(number)
            guard file >= 0 else { return false }
            let process = Descriptor(owning: file)
            // The PID may have been reused between the check and the open.
            if isCommand(pid, program, words) { _ = clinux_kill_process(process.rawValue, patience) }
            return false
        }
        return !contains(program, with: words)
    }

    private static func isCommand(_ pid: String, _ program: String, _ words: [String]) -> Bool {
        guard let text = try? SmallFile.text("/proc/\(pid)/cmdline", limit: commandLimit) else { return false }
        let found = text.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
        guard found.first?.split(separator: "/").last.map(String.init) == program else { return false }
        return found.indices.contains { found[$0...].starts(with: words) }
    }

    /// Returns true if a process of root in the network namespace of this process has a property.
    private static func contains(_ isWanted: (String) -> Bool) -> Bool {
        guard let directory = try? Descriptor(owning: Kernel.openForReading("/proc")),
            let pids = try? DirectoryCalls.list(directory.rawValue, byteLimit: namesLimit),
            let own = try? network(of: "self")
        else { return false }
        return pids.contains { pid in
            guard Int32(pid) != nil, isRoots(pid), (try? network(of: pid)) == own else { return false }
            return isWanted(pid)
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
