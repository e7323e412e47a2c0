import CLinux
import Synchronization
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Reads a program's standard error on a thread of its own, and keeps the last 4 KiB.
///
/// The thread is needed because the command itself waits for the program's replies.
final class ComplaintReader: Sendable {
    private static let kept = 4096
    private let source: FileDescriptor
    private let passesOn: Bool
    private let stopping: (reading: FileDescriptor, writing: FileDescriptor)
    private let tail = Mutex<[UInt8]>([])
    private let thread = Mutex<UInt?>(nil)

    /// Starts the thread; the reader takes over the pipe's read end.
    init(_ source: FileDescriptor, passesOn: Bool) throws(Errno) {
        self.source = source
        self.passesOn = passesOn
        stopping = try PipedProgram.pipe()
        let argument = unsafe Unmanaged.passRetained(self)
        var handle: UInt = 0
        let result = unsafe clinux_thread_start(
            &handle,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<ComplaintReader>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, argument.toOpaque(), 256 << 10, "complaints")
        guard result == 0 else {
            unsafe argument.release()
            throw Errno(rawValue: 0 &- result)
        }
        let started = handle
        thread.withLock { $0 = started }
    }

    /// Waits until the data written so far is read, and returns the last part of it.
    ///
    /// It does not wait for the end of the pipe: a shared background connection of ssh may keep the pipe open for ever.
    func finish() -> String {
        let started = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let started {
            try? stopping.writing.close()
            clinux_thread_join(started)
        }
        return tail.withLock { String(decoding: $0, as: UTF8.self) }
    }

    private func run() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            var waiting = [
                pollfd(fd: source.rawValue, events: Int16(POLLIN), revents: 0),
                pollfd(fd: stopping.reading.rawValue, events: Int16(POLLIN), revents: 0),
            ]
            let ready = unsafe poll(&waiting, 2, -1)
            if ready < 0 && errno == EINTR { continue }
            guard ready > 0 else { return }
            if waiting[0].revents == 0 { return }
            let count = (try? unsafe buffer.withUnsafeMutableBytes { unsafe try source.read(into: $0) }) ?? 0
            guard count > 0 else { return }
            let read = buffer[..<count]
            if passesOn { _ = try? FileDescriptor.standardError.writeAll(read) }
            tail.withLock { tail in
                tail.append(contentsOf: read)
                if tail.count > Self.kept { tail.removeFirst(tail.count - Self.kept) }
            }
        }
    }
}
