package import SystemPackage

/// What the process holds of the board's memory.
package struct ProcessMemory: Sendable, Hashable {
    /// Bytes of its own that no file holds: heap, stacks, changed data (PssAnon).
    package let privateBytes: Int64
    /// Bytes with shared pages divided by their sharers (PSS).
    package let proportionalBytes: Int64
    /// How many threads there are.
    package let threads: Int

    /// Reads the numbers of this process; nil where the kernel does not give them.
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

    /// Lets go of the pages of the program's code and constants, which come back as they are touched.
    ///
    /// A start touches places all over the program, and most of them never again. `madvise(2)`, MADV_DONTNEED
    ///
    /// - Returns: How many bytes of the program were looked at.
    @discardableResult
    package static func releaseProgram() throws(Errno) -> Int { try Kernel.releaseProgram() }

    /// How many threads the process has; nil where the kernel does not tell.
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
