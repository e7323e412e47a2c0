import CleatIO
import Synchronization
import SystemPackage

/// Reads a program's standard error on a thread of its own, and keeps the last 4 KiB.
///
/// The thread is needed because the command itself waits for the program's replies.
final class StderrReader: Sendable {
    private static let kept = 4096
    private let tail: Tail
    private let stopping: Descriptor
    private let thread: CleatIO.Thread

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - source: the read end of the program's standard error.
    ///   - shows: true if the bytes are also written to standard error.
    /// - Throws: The reason why a pipe or a thread could not be made.
    init(_ source: Descriptor, shows: Bool) throws(Errno) {
        let (stopped, stopping) = try Descriptor.pipe()
        let tail = Tail()
        self.tail = tail
        self.stopping = stopping
        thread = try CleatIO.Thread(name: "stderr") { Self.read(source, until: stopped, shows: shows, into: tail) }
    }

    /// Waits until the data written so far is read, and returns the last part of it.
    ///
    /// It does not wait for the end of the pipe: a shared background connection of ssh may keep the pipe open for ever.
    func finish() -> String {
        stopping.close()
        thread.join()
        return tail.bytes.withLock { String(decoding: $0, as: UTF8.self) }
    }

    private final class Tail: Sendable { let bytes = Mutex<[UInt8]>([]) }

    private static func read(_ source: Descriptor, until stopped: Descriptor, shows: Bool, into tail: Tail) {
        while true {
            guard let ready = try? Process.wait(for: [source.rawValue, stopped.rawValue], milliseconds: nil) else {
                return
            }
            guard ready[0] else {
                if ready[1] { return }
                continue
            }
            guard let read = try? source.read(upTo: 4096), !read.isEmpty else { return }
            if shows { _ = try? FileDescriptor.standardError.writeAll(read) }
            tail.bytes.withLock { tail in
                tail.append(contentsOf: read)
                if tail.count > kept { tail.removeFirst(tail.count - kept) }
            }
        }
    }
}
