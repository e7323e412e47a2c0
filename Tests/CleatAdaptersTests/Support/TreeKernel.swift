import CleatAdapters
import CleatTestSupport
import SystemPackage

/// Values of a kernel that are files below a root directory, for classes of devices that a test's machine lacks; all
/// other values are the real kernel's.
///
/// A write to a list of choices selects one, as with a trigger; the attributes of a trigger are new each time.
struct TreeKernel: KernelCalls {
    let root: String
    private let real = SystemKernelCalls()

    init(root: String) { self.root = root }

    func read(attribute path: String) throws(Errno) -> [UInt8] {
        do {
            return Array(try contents(of: FilePath(root + path)).utf8)
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    func names(in directory: String) throws(Errno) -> [String] { try real.names(in: root + directory) }

    func write(_ bytes: [UInt8], toAttribute path: String) throws(Errno) {
        let present = String(decoding: try read(attribute: path), as: UTF8.self)
        var text = String(decoding: bytes, as: UTF8.self)
        if present.contains("[") {
            let choices = present.filter { !"[]\n".contains($0) }.split(separator: " ")
            guard let chosen = choices.first(where: { $0 + "\n" == text }) else { throw .invalidArgument }
            text = choices.map { $0 == chosen ? "[\($0)]" : String($0) }.joined(separator: " ") + "\n"
        }
        do {
            let file = try FileDescriptor.open(FilePath(root + path), .writeOnly, options: .truncate)
            _ = try file.closeAfter { try file.writeAll(text.utf8) }
        } catch {
            throw error as? Errno ?? .ioError
        }
        guard path.hasSuffix("/trigger") else { return }
        let led = String(path.dropLast("trigger".utf8.count))
        // The trigger before it leaves the LED dark.
        if !present.contains("[none]"), present != String(decoding: try read(attribute: path), as: UTF8.self) {
            try write(Array("0\n".utf8), toAttribute: led + "brightness")
        }
        for (name, value) in [("delay_on", "500\n"), ("delay_off", "500\n"), ("invert", "0\n")] {
            let file = led + name
            if (try? read(attribute: file)) != nil { try write(Array(value.utf8), toAttribute: file) }
        }
    }

    func mayWrite(attribute path: String) throws(Errno) -> Bool {
        _ = try read(attribute: path)
        return true
    }

    func isPublic(attribute path: String) throws(Errno) -> Bool { try mayWrite(attribute: path) }

    func hostName() throws(Errno) -> [UInt8] { try real.hostName() }

    func setHostName(_ name: [UInt8]) throws(Errno) { throw .notPermitted }

    func maySetHostName() throws(Errno) -> Bool { false }

    func mayConfigureNetwork() throws(Errno) -> Bool { false }

    func exchange(
        _ request: RouteRequest, again: () -> Void, _ each: (ArraySlice<UInt8>) -> Void
    ) throws(Errno) -> RouteRefusal? {
        throw .notPermitted
    }
}
