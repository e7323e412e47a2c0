import CleatIO
import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of the stored state of a file, as bytes.
@Suite struct FileMementoTests {
    func mementos() throws -> [FileMemento] {
        let bench = try ManagedBench(.walking)
        let absence = try bench.files.capture("/etc/systemd/network/a.network")
        try bench.files.write([], to: "/etc/hostname")
        let empty = try bench.files.capture("/etc/hostname")
        try bench.files.write(Array(0...255), to: "/etc/hostname", permissions: 0o7531)
        var all = [absence, empty, try bench.files.capture("/etc/hostname")]
        let links = try ManagedFiles(
            root: bench.outside.path.appending("root"),
            declarations: [ManagedFileDeclaration("/etc/localtime", isLink: true)])
        try links.link("/etc/localtime", to: "../usr/share/zoneinfo/Europe/Berlin")
        all.append(try links.capture("/etc/localtime"))
        try SandboxListing.makeLink(bench.place("/etc/resolv.conf"), to: "../run/resolv.conf")
        all.append(try bench.files.capture("/etc/resolv.conf"))
        try bench.files.write([1, 2, 3], to: "/etc/resolv.conf")
        all.append(try bench.files.capture("/etc/resolv.conf"))
        // Not every file system has them.
        let file = try FileDescriptor.open(FilePath(bench.place("/etc/hostname")), .readOnly)
        try file.closeAfter {
            for (name, value) in [("user.a", [UInt8](0...20)), ("user.b", [])] {
                let attribute = ExtendedAttribute(name: FileName(name), value: value)
                if (try? SystemFileCalls().setAttribute(attribute, of: file)) == nil { return }
            }
            all.append(try bench.files.capture("/etc/hostname"))
        }
        return all
    }

    @Test func bytesAndBack() throws {
        for memento in try mementos() {
            let again = try FileMemento(encoded: memento.encoded)
            #expect(again == memento)
            #expect(again.path == memento.path)
        }
    }

    @Test func partsAreRefused() throws {
        for memento in try mementos() {
            let bytes = memento.encoded
            for count in 0..<bytes.count {
                #expect(throws: MalformedBytes.self) { try FileMemento(encoded: Array(bytes.prefix(count))) }
            }
            #expect(throws: MalformedBytes.self) { try FileMemento(encoded: bytes + [0]) }
        }
    }

    @Test("bytes are read with the meaning that they were written with, or not at all", arguments: 1...50)
    func nonsense(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for memento in try mementos() {
            var body = memento.encoded
            // Numbers of all sizes in the place of lengths, owners and modes.
            let index = Int.random(in: 0..<body.count, using: &random)
            for next in index..<min(index + 8, body.count) where Bool.random(using: &random) {
                body[next] = [0, 0x7f, 0xff].randomElement(using: &random) ?? 0
            }
            if Bool.random(using: &random) { body.removeLast(Int.random(in: 0..<body.count, using: &random)) }
            do throws(MalformedBytes) {
                let read = try FileMemento(encoded: body)
                // What can be read is what was written.
                #expect(read.encoded == body)
            } catch {
                continue
            }
        }
    }
}
