import CleatAPI
import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatAgent

/// The counters of what is written, and the device that it is written to.
@Suite("The wear of the flash") struct FlashTests {
    private static func text(_ ledger: WriteLedger) -> [String] {
        ledger.written.parts.map { "\($0.part) \($0.bytes) \($0.flushes) \($0.totalBytes) \($0.totalFlushes)" }
    }

    @Test("Counters go on in the next run")
    func ledger() throws {
        let directory = try TemporaryDirectory()
        let first = WriteLedger { 100 }
        first.load(in: directory.path)
        first.system.add(bytes: 10)
        first.system.addFlush()
        #expect(
            first.written.since == nil && Self.text(first) == ["system 10 1 10 1", "files 0 0 0 0", "log 100 0 100 0"])
        try first.save(in: directory.path)
        first.files.add(bytes: 7)
        try first.save(in: directory.path)
        let second = WriteLedger { 1 }
        second.load(in: directory.path)
        second.files.add(bytes: 3)
        #expect(Self.text(second) == ["system 0 0 10 1", "files 3 0 10 0", "log 1 0 101 0"])
        #expect(second.written.since != nil && second.written.since == first.written.since)
    }

    @Test(
        "A damaged file counts as none",
        arguments: [
            "", "since never\n", "system -1 2\n", "system 1\n", "system 99999999999999999999 1\n", "\u{0}\u{1}",
            String(repeating: "system 1 1\n", count: 200),
        ])
    func damaged(text: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write(text, to: "written")
        let ledger = WriteLedger { 0 }
        ledger.load(in: directory.path)
        #expect(ledger.written.since == nil && Self.text(ledger).allSatisfy { $0.hasSuffix(" 0 0 0 0") })
    }

    @Test("Files that are written through the calls are counted with their flushes")
    func calls() throws {
        let directory = try TemporaryDirectory()
        let counter = WriteCounter()
        let opened = try FileDescriptor.open(directory.path, .readOnly, options: [.directory, .closeOnExec])
        defer { try? opened.close() }
        try DurableFile.write(
            [1, 2, 3], to: "file", in: opened, calls: SystemFileCalls(counting: counter))
        #expect(counter.bytes == 3 && counter.flushes == 2)
    }

    @Test("A partition is described by its device: type, capacity, writes, life")
    func device() throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("mmcblk0")
        try directory.makeDirectory("mmcblk0/mmcblk0p3")
        try directory.makeDirectory("mmcblk0/device")
        try directory.write("1\n", to: "mmcblk0/mmcblk0p3/partition")
        try directory.write("  1 2 3 4 5 6 2048 8 9 10 11 12 13 14 15 77 17\n", to: "mmcblk0/stat")
        try directory.write("62333952\n", to: "mmcblk0/size")
        try directory.write("MAJOR=179\nMINOR=0\nDEVNAME=mmcblk0\n", to: "mmcblk0/uevent")
        try directory.write("MMC\n", to: "mmcblk0/device/type")
        try directory.write("0x02 0x01\n", to: "mmcblk0/device/life_time")
        let part = directory.path.appending("mmcblk0").appending("mmcblk0p3")
        let found = try #require(BlockDevice.described(part))
        #expect(found.name == "mmcblk0" && found.kind == "MMC" && found.capacity == 62_333_952 * 512)
        #expect(found.written == 1 << 20 && found.flushes == 77 && found.lifeUsed == 20)
        // An older kernel, a disk of another type, a life that is not known.
        try directory.write("1 2 3 4 5 6 7 8 9 10 11\n", to: "mmcblk0/stat")
        try directory.write("0x00 0x00\n", to: "mmcblk0/device/life_time")
        try directory.write("0\n", to: "mmcblk0/device/type")
        let old = try #require(BlockDevice.described(part))
        #expect(old.kind == "disk" && old.flushes == nil && old.lifeUsed == nil && old.written == 7 * 512)
        try directory.write("9223372036854775807\n", to: "mmcblk0/size")
        #expect(BlockDevice.described(part)?.capacity == Int64.max - 511)
        for text in ["", "1 2 3\n"] {
            try directory.write(text, to: "mmcblk0/stat")
            #expect(BlockDevice.described(part) == nil)
        }
        #expect(BlockDevice.described(directory.path.appending("none")) == nil && BlockDevice.of("/proc/self") == nil)
    }
}
