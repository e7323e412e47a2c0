internal import CLinux
internal import SystemPackage

/// Finds and kills the processes that carry a marker variable in their environment: descendants of a child, also those
/// that have left its process group, with `setsid(2)` for instance.
package enum MarkedProcesses {
    /// The numbers of processes that were found.
    package struct Result: Sendable, Hashable {
        /// Processes that were killed and have exited.
        package var killed = 0
        /// Processes that were killed but have not exited, or could not be killed.
        package var left = 0

        /// Makes a result with no processes.
        package init() {}
    }

    /// The largest environment that is read, in bytes; the total time to wait, in milliseconds.
    private static let (environmentLimit, patience): (Int, Int64) = (256 * 1024, 2000)
    private static let namesLimit = 1 << 20

    /// Kills every process whose environment has a variable, and those that they start meanwhile.
    ///
    /// A process that has cleared its environment is not found. `/proc/PID/environ`
    ///
    /// - Parameter variable: The variable as `NAME=value`.
    /// - Returns: The numbers of processes that were found.
    package static func kill(_ variable: String) -> Result {
        var killed: Set<Int32> = []
        let end = BootTime.now().milliseconds + patience
        while true {
            let found = processes(with: variable)
            var left = 0
            for (pid, file) in found {
                let rest = max(0, end - BootTime.now().milliseconds)
                if clinux_kill_process(file.rawValue, Int32(rest)) == 1 { killed.insert(pid) } else { left += 1 }
            }
            if found.isEmpty || left > 0 || BootTime.now().milliseconds > end {
                var result = Result()
                (result.killed, result.left) = (killed.count, left)
                return result
            }
        }
    }

    private static func processes(with variable: String) -> [(Int32, Descriptor)] {
        guard
            let directory = try? FileDescriptor.open(FilePath("/proc"), .readOnly, options: [.directory, .closeOnExec])
        else {
            return []
        }
        defer { try? directory.close() }
        let wanted = Array(variable.utf8)
        let names = (try? DirectoryCalls.list(directory.rawValue, byteLimit: namesLimit)) ?? []
        return names.compactMap { name in
            guard let pid = Int32(name), carries(wanted, pid) else { return nil }
            let file = clinux_open_process(pid)
            guard file >= 0 else { return nil }
            // The PID may have been reused between the check and the open, so the environment is read again.
            let owned = Descriptor(owning: file)
            return carries(wanted, pid) ? (pid, owned) : nil
        }
    }

    private static func carries(_ variable: [UInt8], _ pid: Int32) -> Bool {
        guard let bytes = try? SmallFile.read(FilePath("/proc/\(pid)/environ"), upTo: environmentLimit) else {
            return false
        }
        return bytes.split(separator: 0).contains { $0.elementsEqual(variable) }
    }
}
