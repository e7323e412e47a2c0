import CleatIO
import CleatSandbox
import SystemPackage

/// Replaces one file again and again by the durable write, and checks it after a cut.
enum FileSequence {
    private static let name = "state"

    /// Writes for `seconds=` seconds or `writes=` times, or for ever, and prints each number once its file is durable.
    ///
    /// `syncs=off` omits the flushes, for a control that must lose acknowledged writes.
    static func write(_ directory: FilePath, _ options: WriterOptions) {
        let seconds = options["seconds", default: 0]
        let writes = options["writes", default: .max]
        let start = BootTime.now().milliseconds
        do {
            let descriptor = try open(directory)
            var number: Int64 = 0
            if let bytes = content(of: directory.appending(name)) { number = Self.number(of: bytes) ?? 0 }
            StoreWriter.say("open \(number)")
            let first = number
            while number - first < writes, seconds == 0 || BootTime.now().milliseconds - start < seconds * 1000 {
                number += 1
                if options["syncs"] == "off" {
                    try DurableFile.write(text(number), to: name, in: descriptor, calls: UnflushedCalls())
                } else {
                    try DurableFile.write(text(number), to: name, in: descriptor)
                }
                StoreWriter.say("\(number)")
            }
            StoreWriter.say("done")
        } catch {
            StoreWriter.say("error \(error)")
        }
    }

    /// Checks the file; `acknowledged=` and `last=` as for a store.
    static func report(_ directory: FilePath, _ options: WriterOptions) -> String {
        var report = PowerReport()
        let acknowledged = options["acknowledged", default: 0]
        let last = options["last", default: .max]
        let bytes = content(of: directory.appending(name))
        if let bytes {
            if let number = number(of: bytes) {
                report.found = number
                report.require(
                    number >= acknowledged, .lost, "\(acknowledged) was acknowledged, but the file is \(number)")
                report.require(number <= last, .corrupt, "the file is \(number), but the last one was \(last)")
            } else {
                let zeros = bytes.allSatisfy { $0 == 0 }
                report.problem(.corrupt, "the file is not whole: \(bytes.count) bytes\(zeros ? ", all zero" : "")")
            }
        } else {
            report.require(acknowledged == 0, .lost, "\(acknowledged) was acknowledged, but there is no file")
        }
        report.done("acknowledged")
        report.done("whole")
        do {
            let descriptor = try open(directory)
            try DurableFile.sweep(in: descriptor)
            try DurableFile.write(text(acknowledged + 1), to: name, in: descriptor)
            let after = content(of: directory.appending(name))
            report.require(after == text(acknowledged + 1), .corrupt, "a write after the cut is not there")
            report.done("goes on")
        } catch {
            report.problem(.corrupt, "a write after the cut failed: \(error)")
        }
        return report.text
    }

    /// The whole content of a file; nil where it cannot be read.
    static func content(of file: FilePath) -> [UInt8]? {
        guard let descriptor = try? FileDescriptor.open(file, .readOnly) else { return nil }
        return try? descriptor.closeAfter {
            var all: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = try unsafe chunk.withUnsafeMutableBytes { try unsafe descriptor.read(into: $0) }
                if count == 0 { return all }
                all += chunk.prefix(count)
            }
        }
    }

    /// Puts a file into a directory that is there.
    static func put(_ bytes: [UInt8], _ name: String, in directory: FilePath) -> Bool {
        guard let descriptor = try? open(directory) else { return false }
        defer { try? descriptor.close() }
        return (try? DurableFile.write(bytes, to: name, in: descriptor)) != nil
    }

    private static func open(_ directory: FilePath) throws(Errno) -> FileDescriptor {
        do {
            return try FileDescriptor.open(directory, .readOnly, options: [.directory])
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    /// The content of a number's file: the number in every line, and as many lines as the number says.
    static func text(_ number: Int64) -> [UInt8] {
        let digits = String(number)
        let line = Array((String(repeating: "0", count: max(0, 12 - digits.count)) + digits + "\n").utf8)
        return Array((0...(number % 97 * 9)).map { _ in line }.joined())
    }

    /// The number of a file; nil where it is not whole.
    static func number(of bytes: [UInt8]) -> Int64? {
        guard let number = Int64(String(decoding: bytes.prefix(12), as: UTF8.self)) else { return nil }
        return text(number) == bytes ? number : nil
    }
}
