import CLinux
import CleatIO
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs a program between two pipes and keeps the last of what it complains about.
final class PipedProgram {
    /// The end of the pipe that the program reads from.
    let input: Descriptor
    /// The end of the pipe that the program writes to.
    let output: Descriptor
    private let process: pid_t
    private let complaints: ComplaintReader
    private var isFinished = false
    private var ended: (end: SSHFailure.End, complaints: String)?

    /// Starts a program, found in `PATH`.
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

    /// Closes the pipes, waits for the program and ends it where it does not end by itself; says the same when it is called
    /// again, when the number of the process may be another's.
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
        // Closed pipes end the program at once, unless the network hangs: then two seconds are enough.
        for _ in 0..<400 {
            let ended = unsafe waitpid(process, &status, WNOHANG)
            // Where there is no such child any more, the number may be another's.
            if ended == process || ended < 0 && errno != EINTR { return (Self.end(of: status), complaints.finish()) }
            _ = poll(nil, 0, 5)
        }
        kill(process, SIGTERM)
        while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
        return (Self.end(of: status), complaints.finish())
    }

    /// Asks the program to end, without waiting for it; does nothing after ``finish()``.
    func terminate() { if !isFinished { kill(process, SIGTERM) } }

    private static func end(of status: Int32) -> SSHFailure.End {
        let signal = status & 0x7f
        return signal == 0 ? .exited(status >> 8 & 0xff) : .signalled(signal)
    }

    /// Makes a pipe that no program inherits.
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
