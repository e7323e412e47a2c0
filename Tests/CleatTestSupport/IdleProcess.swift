internal import SystemPackage

/// The waits of a process's threads, as the kernel shows them. proc_pid_syscall(5), timerfd_create(2)
///
/// They show that nothing will happen, where a pause could only show that nothing has happened so far.
package struct IdleProcess: Sendable {
    private let directory: FilePath

    /// Reads from the process with a number; from this process if it is nil.
    package init(_ pid: Int32? = nil) { directory = FilePath("/proc/\(pid.map { "\($0)" } ?? "self")") }

    /// True if each thread waits for an event without a time limit, and no timer ends a wait.
    package var isIdle: Bool {
        get throws {
            try names(in: directory.appending("task").string).allSatisfy { try waitsWithoutLimit(thread: $0) }
                && timers.isEmpty
        }
    }

    /// True if a thread is in `epoll_wait` or `futex` without a time limit.
    package func waitsWithoutLimit(thread: String) throws -> Bool {
        let text = try contents(of: directory.appending("task").appending(thread).appending("syscall"))
        let words = text.split(whereSeparator: \.isWhitespace)
        // A thread that runs has no system call, and one that waits outside of any has no arguments.
        guard words.count == 9, let call = Int(words[0]), let limit = UInt64(words[4].dropFirst(2), radix: 16) else {
            return false
        }
        return switch call {
        // `epoll_wait` and `epoll_pwait` of x86_64, `epoll_pwait` of arm64: milliseconds, negative for none.
        case 232, 281, 22: Int32(truncatingIfNeeded: limit) < 0
        // `futex` of x86_64 and of arm64: the address of the limit.
        case 202, 98: limit == 0
        default: false
        }
    }

    /// The seconds that each of its timers has left.
    package var timers: [Int] {
        get throws {
            try descriptors.compactMap { text in
                let line = text.split(separator: "\n").first { $0.hasPrefix("it_value: (") }
                guard let fields = line?.drop(while: { !$0.isNumber }).dropLast().split(separator: ",") else {
                    return nil
                }
                let numbers = fields.compactMap { Int($0.filter(\.isNumber)) }
                return numbers.contains { $0 > 0 } ? numbers.first : nil
            }
        }
    }

    /// True if it watches a file or directory by inotify(7).
    package func watches(_ path: String) throws -> Bool {
        let inode = "ino:" + String(try inode(of: path), radix: 16)
        return try descriptors.contains { text in
            text.split(separator: "\n").contains {
                $0.hasPrefix("inotify ") && $0.split(separator: " ").contains(inode[...])
            }
        }
    }

    /// The descriptions of its open files; one that is closed meanwhile is not among them.
    private var descriptors: [String] {
        get throws {
            let directory = directory.appending("fdinfo")
            return try names(in: directory.string).compactMap { try? contents(of: directory.appending($0)) }
        }
    }
}
