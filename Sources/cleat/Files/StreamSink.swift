import CleatIO
import SystemPackage

/// Writes a fetched file to a stream: standard output, a FIFO, a device.
struct StreamSink: FileSink {
    private let output: Descriptor
    private let name: String
    let isTerminal: Bool

    /// Creates a sink from a descriptor, which it owns from then on.
    init(_ output: FileDescriptor, name: String) {
        self.output = Descriptor(owning: output)
        self.name = name
        isTerminal = Process.isTerminal(output)
    }

    func write(_ piece: [UInt8]) throws(CommandError) {
        do {
            try Process.write(piece, to: output.descriptor)
        } catch {
            // The reader has closed the pipe: the command ends without an error message.
            if error == .brokenPipe, name == "-" {
                throw CommandError(status: .success, layer: .output, code: "Output", message: "the output was closed")
            }
            throw .local("\(name) cannot be written: \(error)", remedy: "free space at the destination")
        }
    }

    func finish() {}
}
