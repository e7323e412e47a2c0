package import SystemPackage

/// The memory usage and the threads of this process.
package struct ProcessMemory: Sendable, Hashable {
    /// Anonymous memory in bytes: heap, stacks, changed data (Pss_Anon).
    package let privateBytes: Int64
    /// Proportional set size in bytes: shared pages are divided by the number of processes that share them (PSS).
    package let proportionalBytes: Int64
    /// The number of threads.
    package let threads: Int

    /// Reads the values of this process; returns nil if the kernel does not provide them.
    ///
    /// `/proc/self/smaps_rollup`, `/proc/self/status`
    package static func current() -> ProcessMemory? {
        guard let rollup = try? SmallFile.text("/proc/self/smaps_rollup", limit: 8192), let threads else { return nil }
        var pss: Int64 = 0
        var own: Int64 = 0
        for line in rollup.split(separator: "\n") {
            guard let (name, value) = field(line) else { continue }
            switch name {
            case "Pss": pss = value
            case "Pss_Anon": own = value
            default: break
            }
        }
        return ProcessMemory(privateBytes: own &* 1024, proportionalBytes: pss &* 1024, threads: threads)
    }

    /// Releases the pages of the program's code and constants, which are loaded again when they are accessed.
    ///
    /// Startup accesses pages all over the program, most of which are never used again. `madvise(2)`, MADV_DONTNEED
    ///
    /// - Returns: The size of the program's segments of code and constants in bytes.
    @discardableResult
    package static func releaseProgram() throws(Errno) -> Int { try Kernel.releaseProgram() }

    /// The number of threads of the process; nil if the kernel does not provide it.
    package static var threads: Int? {
        guard let status = try? SmallFile.text("/proc/self/status", limit: 8192) else { return nil }
        for line in status.split(separator: "\n") {
            if let (name, value) = field(line), name == "Threads" { return Int(value) }
        }
        return nil
    }

    private static func field(_ line: Substring) -> (name: Substring, value: Int64)? {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let digits = parts[1].drop { !$0.isNumber }.prefix { $0.isNumber }
        return Int64(digits).map { (parts[0], $0) }
    }
}
