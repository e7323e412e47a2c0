import CleatTestSupport
import Testing

@testable import CleatObservers

@Suite("Device messages")
struct DeviceMessageTests {
    @Test("A kernel message is read, its node gets /dev/")
    func kernel() throws {
        let message = try DeviceMessage(
            kernel: Messages.kernel(
                action: "add", devpath: "/devices/virtual/block/loop0",
                ["SUBSYSTEM=block", "MAJOR=7", "MINOR=0", "DEVNAME=loop0", "DEVTYPE=disk", "SEQNUM=4711"]))
        #expect(message.action == "add")
        #expect(message.devpath == "/devices/virtual/block/loop0")
        #expect(message.sequenceNumber == 4711)
        #expect(message.properties["DEVNAME"] == "/dev/loop0")
        let record = try #require(DeviceRecord(message))
        #expect(record.subsystem == "block")
        #expect(record.devtype == "disk")
        #expect(record.node == "/dev/loop0")
        #expect(record.name == "loop0")
    }

    @Test("A udevd message is read at the offset of its header")
    func udevd() throws {
        let entries = [
            "ACTION=change", "DEVPATH=/devices/virtual/mem/null", "SUBSYSTEM=mem", "DEVNAME=/dev/null", "SEQNUM=9",
        ]
        let message = try DeviceMessage(udevd: Messages.udevd(entries))
        #expect(message.action == "change")
        #expect(message.devpath == "/devices/virtual/mem/null")
        #expect(message.properties["DEVNAME"] == "/dev/null")

        var shifted = Messages.udevd(entries, headerSize: 48, offset: 48)
        shifted.insert(contentsOf: [UInt8](repeating: 0xff, count: 8), at: 40)
        #expect(try DeviceMessage(udevd: shifted) == message)
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var error: DeviceMessageError
        var testDescription: String { name }
    }

    @Test(
        "Other messages than the kernel's are refused",
        arguments: [
            Refused(name: "empty", bytes: [], error: .truncated),
            Refused(name: "no NUL", bytes: Array("add@/devices/x".utf8), error: .truncated),
            Refused(name: "no @", bytes: Messages.kernel("add", []), error: .header),
            Refused(name: "libudev header", bytes: Messages.udevd(["ACTION=add"]), error: .header),
            Refused(name: "empty action", bytes: Messages.kernel("@/devices/x", []), error: .action),
            Refused(name: "odd action", bytes: Messages.kernel("a\nb@/devices/x", []), error: .action),
            Refused(
                name: "long action", bytes: Messages.kernel(String(repeating: "a", count: 33) + "@/devices/x", []),
                error: .action),
            Refused(name: "relative path", bytes: Messages.kernel("add@devices/x", []), error: .devpath),
            Refused(name: "root", bytes: Messages.kernel("add@/", []), error: .devpath),
            Refused(name: "dot dot", bytes: Messages.kernel("add@/devices/../../etc", []), error: .devpath),
            Refused(name: "double slash", bytes: Messages.kernel("add@/devices//x", []), error: .devpath),
            Refused(
                name: "long path", bytes: Messages.kernel("add@/" + String(repeating: "x", count: 2_048), []),
                error: .devpath),
            Refused(name: "no properties", bytes: Messages.kernel("add@/devices/x", []), error: .action),
            Refused(
                name: "two actions", bytes: Messages.kernel("add@/devices/x", ["ACTION=remove", "DEVPATH=/devices/x"]),
                error: .action),
            Refused(
                name: "two paths", bytes: Messages.kernel("add@/devices/x", ["ACTION=add", "DEVPATH=/devices/y"]),
                error: .devpath),
        ])
    func refusedKernel(_ refused: Refused) {
        #expect(throws: refused.error) { try DeviceMessage(kernel: refused.bytes) }
    }

    @Test(
        "Other messages than udevd's are refused",
        arguments: [
            Refused(name: "empty", bytes: [], error: .truncated),
            Refused(name: "short header", bytes: Array(Messages.udevd([]).prefix(23)), error: .truncated),
            Refused(
                name: "kernel message", bytes: Messages.kernel(action: "add", devpath: "/devices/abcdef"),
                error: .header),
            Refused(name: "magic", bytes: Messages.udevd(["ACTION=add"], magic: 0xcafe_feed), error: .header),
            Refused(name: "prefix", bytes: Messages.udevd(["ACTION=add"], prefix: "libudeV"), error: .header),
            Refused(name: "header size 0", bytes: Messages.udevd(["ACTION=add"], headerSize: 0), error: .truncated),
            Refused(name: "offset in header", bytes: Messages.udevd(["ACTION=add"], offset: 8), error: .truncated),
            Refused(name: "offset beyond", bytes: Messages.udevd(["ACTION=add"], offset: .max), error: .truncated),
            Refused(name: "length beyond", bytes: Messages.udevd(["ACTION=add"], length: .max), error: .truncated),
            Refused(name: "length one more", bytes: Messages.udevd(["A=b"], length: 5), error: .truncated),
            Refused(name: "no action", bytes: Messages.udevd(["DEVPATH=/devices/x"]), error: .action),
            Refused(name: "no path", bytes: Messages.udevd(["ACTION=add"]), error: .devpath),
            Refused(name: "climbing path", bytes: Messages.udevd(["ACTION=add", "DEVPATH=/../x"]), error: .devpath),
        ])
    func refusedUdevd(_ refused: Refused) {
        #expect(throws: refused.error) { try DeviceMessage(udevd: refused.bytes) }
    }

    @Test("Cut, changed and random bytes never trap", arguments: 1...20)
    func hostile(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let entries = [
            "ACTION=add", "DEVPATH=/devices/a/b", "SUBSYSTEM=usb", "DEVNAME=bus/usb/001", "=", "x", "SEQNUM=-1",
        ]
        let genuine = [
            Messages.kernel("add@/devices/a/b", entries), Messages.udevd(entries),
            Messages.route(type: 16, Messages.link(index: 1, [Messages.attribute(3, "eth0")])),
        ]
        for round in 0..<300 {
            var bytes = round % 4 == 0 ? random.bytes(Int.random(in: 0...200, using: &random)) : genuine[round % 3]
            for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0...bytes.count, using: &random) / 2)
            for message in [try? DeviceMessage(kernel: bytes), try? DeviceMessage(udevd: bytes)] {
                guard let message else { continue }
                #expect(message.devpath.hasPrefix("/"))
                #expect(!message.action.isEmpty)
                _ = message.sequenceNumber
                _ = message.properties.dictionary
                _ = DeviceRecord(message)
            }
            let (messages, _) = RouteMessage.parse(bytes)
            #expect(messages.count <= bytes.count / 16)
        }
    }
}

@Suite("Property blocks")
struct PropertyBlockTests {
    @Test("Entries other than KEY=VALUE are skipped, and the later of two is used")
    func entries() {
        let bytes = Messages.kernel("A=1", ["", "=x", "novalue", "B=", "C=a=b", "A=2", "D=\u{e4}"])
        let block = PropertyBlock(entries: bytes[...])
        #expect(block.dictionary == ["A": "2", "B": "", "C": "a=b", "D": "\u{e4}"])
        #expect(block["A"] == "2")
        #expect(block["B"] == "")
        #expect(block["X"] == nil)
    }

    @Test("Setting replaces every entry of the key, nil removes it")
    func setting() {
        var block: PropertyBlock = ["A": "1", "B": "2", "A": "3"]
        block["A"] = "4"
        #expect(block.dictionary == ["A": "4", "B": "2"])
        block["B"] = nil
        #expect(block.bytes == Array("A=4\0".utf8))
    }

    @Test("Keys and values that would break the form are skipped")
    func breaking() {
        let block = PropertyBlock(["": "x", "A=B": "x", "C": "a\0b", "D": "fine"])
        #expect(block.dictionary == ["D": "fine"])
    }

    @Test("A block does not grow beyond its limit")
    func limit() {
        var block = PropertyBlock()
        for number in 0..<10_000 { block.append("KEY\(number)", "some value that takes room") }
        #expect(block.bytes.count <= PropertyBlock.limit)
        #expect(PropertyBlock(entries: [UInt8](repeating: 0x3d, count: 200_000)[...]).isEmpty)
        let huge = PropertyBlock(entries: (Array("A=".utf8) + [UInt8](repeating: 0x61, count: 200_000))[...])
        #expect(huge.isEmpty)
    }

    @Test("Text that is not UTF-8 is replaced, not refused")
    func notText() {
        let block = PropertyBlock(entries: (Array("A=".utf8) + [0xff, 0xfe])[...])
        #expect(block["A"] == "\u{fffd}\u{fffd}")
    }
}
