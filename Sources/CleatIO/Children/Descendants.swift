internal import CLinux
package import SystemPackage

/// The processes that the children of this process have started, and their descendants.
package enum Descendants {
    private struct Member {
        var pid: Int32
        var parent: Int32
        var session: Int32
    }

    /// The limits of the list of `/proc` and of a `stat` file, in bytes.
    private static let (namesLimit, statLimit) = (1 << 20, 512)

    /// Makes orphaned descendants children of this process, which has to reap them, or no longer.
    /// `PR_SET_CHILD_SUBREAPER`
    package static func adoptOrphans(_ isOn: Bool) throws(Errno) {
        try Kernel.check(clinux_adopt_orphans(isOn ? 1 : 0))
    }

    /// Reaps the adopted orphans that have ended; not the children that a ``ConsoleChild`` waits for.
    package static func reapOrphans() {
        while true {
            let pid = clinux_ended_child()
            // The owner reaps its child; the others are reaped at the next call.
            guard pid > 0, !ConsoleChild.isAwaited(pid), reap(pid) else { return }
        }
    }

    /// Sends a signal to every descendant that is not a service, and continues stopped ones.
    ///
    /// A service is a descendant in another session than that of this process, or of the child.
    ///
    /// - Parameters:
    ///   - signal: The signal; nil sends nothing.
    ///   - child: The child that may have made a session of its own.
    /// - Returns: The number of such descendants.
    /// - Throws: The reason why `/proc` cannot be read.
    package static func send(_ signal: Signal?, of child: ConsoleChild) throws(Errno) -> Int {
        let processes = try processes()
        let own = ProcessSelf.pid
        let sessions = [ProcessSelf.session, child.pid]
        var found: Set<Int32> = []
        while true {
            let more = processes.filter {
                !found.contains($0.pid) && sessions.contains($0.session)
                    && ($0.parent == own || found.contains($0.parent))
            }
            if more.isEmpty { break }
            found.formUnion(more.map(\.pid))
        }
        if let signal {
            for pid in found {
                signal.send(to: pid)
                if signal != .kill { Signal.resume.send(to: pid) }
            }
        }
        return found.count
    }

    /// Reads the processes that have not ended; those of them that are adopted orphans are reaped.
    private static func processes() throws(Errno) -> [Member] {
        let directory = Descriptor(owning: try Kernel.openForReading("/proc"))
        return try DirectoryCalls.list(directory.rawValue, byteLimit: namesLimit).compactMap { name in
            guard let pid = Int32(name), let text = try? SmallFile.text("/proc/\(name)/stat", limit: statLimit),
                // The program's name is in parentheses, and may contain any characters.
                let rest = text.utf8.lastIndex(of: UInt8(ascii: ")"))
            else { return nil }
            let words = text[text.utf8.index(after: rest)...].split(separator: " ")
            guard words.count > 3, let parent = Int32(words[1]), let session = Int32(words[3]) else { return nil }
            guard words[0] != "Z", words[0] != "X" else {
                if parent == ProcessSelf.pid, !ConsoleChild.isAwaited(pid) { _ = reap(pid) }
                return nil
            }
            return Member(pid: pid, parent: parent, session: session)
        }
    }

    private static func reap(_ pid: Int32) -> Bool {
        var status: Int32 = 0
        return unsafe clinux_reap_process(pid, 0, &status) == 1
    }
}
