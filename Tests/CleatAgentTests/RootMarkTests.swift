import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatAgent

/// The mark of the root file system that an update replaces.
@Suite("The mark of the root file system") struct RootMarkTests {
    @Test("Another file system with another release is an update; one of both is none")
    func update() throws {
        let directory = try TemporaryDirectory()
        func mark(_ fileSystem: String, _ release: String) -> RootMark {
            RootMark(state: directory.path, present: (fileSystem, release))
        }
        #expect(!mark("a:1", "old").isReplaced, "there is no mark")
        try mark("a:1", "old").put()
        #expect(!mark("a:1", "old").isReplaced)
        #expect(!mark("a:2", "old").isReplaced, "the device has another number")
        #expect(!mark("a:1", "new").isReplaced, "packages were upgraded")
        #expect(mark("b:2", "new").isReplaced)
        try mark("b:2", "new").put()
        #expect(!mark("b:2", "new").isReplaced && mark("a:1", "old").isReplaced)
        for text in ["", "\n", "a:1", "a:1 old more", "\u{0}", String(repeating: "x", count: 300)] {
            try directory.write(text, to: "root.mark")
            #expect(!mark("b:2", "new").isReplaced, "\(text)")
        }
    }

    @Test("The mark of this machine is the same when it is read again")
    func present() throws {
        let directory = try TemporaryDirectory()
        try RootMark(state: directory.path).put()
        #expect(!RootMark(state: directory.path).isReplaced)
        #expect(RootMark.hasFile("/etc", nil) && !RootMark.hasFile("/proc/cpuinfo", nil))
        #expect(!RootMark.hasFile("/no/such/file", nil))
        // By the mounts, not by the device: an overlay over the image that is in memory, or on a partition.
        let root = "22 1 179:2 / / rw - squashfs /dev/root ro\n30 22 179:3 / /data rw - ext4 /dev/a rw\n"
        for (upper, isOfImage) in [("/data/etc", false), ("/memory/etc", true)] {
            let mounts = MountTable(
                mountinfo: root + "31 22 0:25 / /memory rw - tmpfs tmpfs rw\n"
                    + "40 22 0:40 / /proc rw - overlay overlay rw,lowerdir=/etc,upperdir=\(upper),workdir=/w\n")
            #expect(RootMark.hasFile("/proc/cpuinfo", mounts) == isOfImage)
        }
    }
}
