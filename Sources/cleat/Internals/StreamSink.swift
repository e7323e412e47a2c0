import CLinux
import CleatIO
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Streams what is fetched into something that is no file: standard output, a FIFO, a device.
struct StreamSink: FileSink {
    private let output: Descriptor
    private let name: String
    let isTerminal: Bool

    /// Takes over a descriptor.
    init(_ output: FileDescriptor, name: String) {
        self.output = Descriptor(owning: output)
        self.name = name
        isTerminal = Process.isTerminal(output)
    }

    func write(_ piece: [UInt8]) throws(CommandError) {
        do {
            try Process.write(piece, to: output.descriptor)
        } catch {
            // Nobody reads any more: that is the end, and nothing to complain about.
            if error == .brokenPipe, name == "-" {
                throw CommandError(status: .success, layer: .output, code: "Output", message: "nobody reads the output")
            }
            throw .local("\(name) cannot be written: \(error)", remedy: "see whether there is room where it goes")
        }
    }

    func finish() {}
}
