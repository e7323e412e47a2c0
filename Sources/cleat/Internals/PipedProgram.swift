import CLinux
import CleatIO
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs a program with pipes as its standard streams, and keeps the last part of its standard error.
final class PipedProgram {
    /// The write end of the program's standard input.
    let input: Descriptor
    /// The read end of the program's standard output.
    let output: Descriptor
    private let process: pid_t
    private let complaints: ComplaintReader
    private var isFinished = false
    private var ended: (end: SSHFailure.End, complaints: String)?

    /// Starts a program, which is searched for in `PATH`.
    init(_ arguments: [String], passesOnComplaints: Bool) throws(Errno) {
        let (childInput, input) = try Self.pipe()
        let (output, childOutput) = try Self.pipe()
        let (complaints, childComplaints) = try Self.pipe()
        defer { for end in [childInput, childOutput, childComplaints] { try? end.close() } }
        process = try Self.spawn(arguments, childInput, childOutput, childComplaints)
        self.input = Descriptor(owning: input)
        self.output = Descriptor(owning: output)
        self.complaints = try ComplaintReader(complaints, passesOn: passesOnComplaints)
    }

    /// Closes the pipes and waits for the program's end; after two seconds it gets SIGTERM.
    ///
    /// A repeated call returns the same result, because the process id may have been reused.
    func finish() -> (end: SSHFailure.End, complaints: String) {
        if let ended { return ended }
        let result = waitForEnd()
        ended = result
        return result
    }

    private func waitForEnd() -> (end: SSHFailure.End, complaints: String) {
        input.close()
        output.close()
        isFinished = true
        var status: Int32 = 0
        // A program exits at once when its pipes are closed, unless the network hangs: two seconds are enough.
        for _ in 0..<400 {
            let ended = unsafe waitpid(process, &status, WNOHANG)
            // Without such a child, the process id may have been reused.
            if ended == process || ended < 0 && errno != EINTR { return (Self.end(of: status), complaints.finish()) }
            _ = poll(nil, 0, 5)
        }
        kill(process, SIGTERM)
        while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
        return (Self.end(of: status), complaints.finish())
    }

    /// Sends SIGTERM to the program without waiting for its end; does nothing after ``finish()``.
    func terminate() { if !isFinished { kill(process, SIGTERM) } }

    private static func end(of status: Int32) -> SSHFailure.End {
        let signal = status & 0x7f
        return signal == 0 ? .exited(status >> 8 & 0xff) : .signalled(signal)
    }

    /// Creates a pipe that is not inherited by programs.
    static func pipe() throws(Errno) -> (reading: FileDescriptor, writing: FileDescriptor) {
        var ends: [Int32] = [-1, -1]
        let result = unsafe clinux_pipe(&ends)
        guard result >= 0 else { throw Errno(rawValue: 0 &- result) }
        return (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
    }

    private static func spawn(
        _ arguments: [String], _ input: FileDescriptor, _ output: FileDescriptor, _ complaints: FileDescriptor
    ) throws(Errno) -> pid_t {
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { unsafe pointers.forEach { unsafe free($0) } }
        let result = unsafe clinux_spawn_piped(&pointers, input.rawValue, output.rawValue, complaints.rawValue)
        guard result > 0 else { throw Errno(rawValue: 0 &- result) }
        return result
    }
}
