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
        guard let rollup = text(of: "/proc/self/smaps_rollup"), let threads else { return nil }
        let (own, total) = (number("Pss_Anon:", in: rollup) ?? 0, number("Pss:", in: rollup) ?? 0)
        return ProcessMemory(privateBytes: own &* 1024, proportionalBytes: total &* 1024, threads: threads)
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
        text(of: "/proc/self/status").flatMap { number("Threads:", in: $0) }.map(Int.init)
    }

    private static func text(of path: FilePath) -> [UInt8]? { try? SmallFile.read(path, upTo: 8192) }

    /// Returns the number in the line that begins with a name.
    private static func number(_ name: String, in text: [UInt8]) -> Int64? {
        var rest = text[...]
        while !rest.starts(with: name.utf8) {
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            rest = rest[(end + 1)...]
        }
        func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        let line = rest.prefix { $0 != UInt8(ascii: "\n") }
        return Int64(String(decoding: line.drop { !isDigit($0) }.prefix(while: isDigit), as: UTF8.self))
    }
}
