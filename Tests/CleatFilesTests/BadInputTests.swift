import CleatFiles
import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

@Suite(.tags(.board)) struct BadInputTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    func refusal(of name: String) async throws -> FilesError {
        try await failure { _ = try Sandbox(at: directory.appending(name)) }
    }

    @Test func aDirectoryThatIsNoneIsRefused() async throws {
        try directory.write("", to: "file")
        let error = try await refusal(of: "file")
        #expect(error.code == .notDirectory && error.message.hasPrefix("could not open \(directory.text)/file: "))
        #expect(try await refusal(of: "file/below").code == .notDirectory)
        for path in ["", "a\u{0}b"] {
            #expect(try await failure { _ = try Sandbox(at: path) }.code == .badPath)
        }
        try RawFiles.fifo(directory.appending("fifo"))
        #expect(try await refusal(of: "fifo").code == .notDirectory)
    }

    @Test("Negative offsets, counts and quotas are refused", .tags(.fault))
    func negativeNumbersAreRefused() async throws {
        for quota in [Quota(bytes: -1), Quota(files: -1), Quota(bytes: .min)] {
            let error = try await failure { _ = try Sandbox(at: directory.appending("own"), quota: quota) }
            #expect(error.code == .outOfRange, "\(error)")
        }
        let sandbox = try Sandbox(at: directory.appending("own"), quota: Quota(bytes: 10, files: 1))
        try await sandbox.write([1, 2], to: "a")
        let reader = try await sandbox.reader("a")
        for (offset, count) in [(-1, 1), (.min, 1), (0, -1), (0, .min)] as [(Int64, Int)] {
            let path = try FilesPath("a")
            for error in [
                try await failure { _ = try await sandbox.read("a", from: offset, upTo: count) },
                try await failure { _ = try await sandbox.read(at: path, from: offset, upTo: count) },
                try await failure { _ = try await reader.read(from: offset, upTo: count) },
            ] {
                #expect(error.code == .outOfRange, "\(error)")
            }
        }
        #expect(try await sandbox.read("a", from: 5, upTo: .max) == [])
    }

    @Test func aLinkInPlaceOfTheDirectoryIsRefused() async throws {
        try directory.makeDirectory("real")
        try RawFiles.link(directory.appending("link"), to: "real")
        try RawFiles.link(directory.appending("nowhere"), to: "missing")
        #expect(try await refusal(of: "link").code == .symbolicLink)
        #expect(try await refusal(of: "link/").code == .symbolicLink)
        #expect(try await refusal(of: "nowhere").code == .symbolicLink)
        #expect(try names(in: directory.text).count == 3)
    }

    @Test(arguments: [0o777, 0o1777, 0o702] as [UInt32]) func aSharedDirectoryIsRefused(mode: UInt32) async throws {
        try directory.makeDirectory("shared")
        try RawFiles.setMode(mode, of: directory.appending("shared"))
        #expect(try await refusal(of: "shared").code == .shared)
    }

    @Test(.enabled(if: RawFiles.isRoot, "needs root, to give a directory to another user"))
    func aDirectoryOfAnotherUserIsRefused() async throws {
        try directory.makeDirectory("other")
        try RawFiles.give(directory.appending("other"), to: 4321)
        let error = try await refusal(of: "other")
        #expect(error.code == .shared && error.description.hasSuffix("it belongs to user 4321; chown it to user 0"))
    }

    @Test func aDirectoryIsOpenOnceAtATime() async throws {
        var first: Sandbox? = try Sandbox(at: directory.appending("one"))
        try await first?.write([1], to: "a")
        #expect(try await refusal(of: "one").code == .busy)
        first = nil
        // The last copy of it may still be held by the thread that has made the last call.
        let opened = try await eventually { (try? Sandbox(at: directory.appending("one"))) != nil }
        #expect(opened)
    }

    @Test func aDirectoryThatIsSwappedForALinkStaysTheSame() async throws {
        try directory.makeDirectory("outside")
        let sandbox = try Sandbox(at: directory.appending("own"))
        try await sandbox.makeDirectory("d")
        try RawFiles.move(directory.appending("own"), to: directory.appending("moved"))
        try RawFiles.link(directory.appending("own"), to: "outside")
        try await sandbox.write([1], to: "a")
        try await sandbox.write([2], to: "d/b")
        #expect(try names(in: directory.appending("outside")) == [])
        #expect(try await sandbox.realPath(of: "a") == directory.appending("moved/a"))
        // The same below the top directory.
        try RawFiles.move(directory.appending("moved/d"), to: directory.appending("moved/e"))
        try RawFiles.link(directory.appending("moved/d"), to: "../outside")
        #expect(try await failure { try await sandbox.write([3], to: "d/c") }.code == .symbolicLink)
        #expect(try names(in: directory.appending("outside")) == [])
    }

    @Test(arguments: ["../secret", "/etc/passwd", "a/../../secret", "link", "up/secret"])
    func noPathLeavesTheDirectory(path: String) async throws {
        try directory.write("secret", to: "secret")
        let sandbox = try Sandbox(at: directory.appending("own"))
        try RawFiles.link(directory.appending("own/link"), to: "../secret")
        try RawFiles.link(directory.appending("own/up"), to: "..")
        let codes: [FilesError.Code] = [.badPath, .symbolicLink]
        #expect(codes.contains(try await failure { _ = try await sandbox.read(path) }.code))
        #expect(codes.contains(try await failure { _ = try await sandbox.reader(path) }.code))
        #expect(codes.contains(try await failure { try await sandbox.append([1], to: path) }.code))
        #expect(codes.contains(try await failure { try await sandbox.write([1], to: path) }.code))
        #expect(codes.contains(try await failure { try await sandbox.copy(path, to: "copy") }.code))
        #expect(codes.contains(try await failure { try await sandbox.setPermissions(0o777, of: path) }.code))
        #expect(try directory.read("secret") == "secret")
    }

    @Test func aLinkIsRemovedButNotItsTarget() async throws {
        try directory.write("secret", to: "secret")
        let sandbox = try Sandbox(at: directory.appending("own"))
        try RawFiles.link(directory.appending("own/link"), to: "../secret")
        #expect(try await sandbox.attributes(of: "link").type == .symbolicLink)
        #expect(try await !sandbox.isReadable("link"))
        try await sandbox.remove("link")
        #expect(try await !sandbox.exists("link"))
        #expect(try directory.read("secret") == "secret")
    }

    private func expectRefused(_ sandbox: Sandbox, _ name: String, _ code: FilesError.Code) async throws {
        #expect(try await failure { _ = try await sandbox.read(name) }.code == code)
        #expect(try await failure { _ = try await sandbox.reader(name) }.code == code)
        #expect(try await failure { try await sandbox.append([1], to: name) }.code == code)
        #expect(try await failure { try await sandbox.copy(name, to: "copy") }.code == code)
        #expect(try await failure { try await sandbox.setPermissions(0o600, of: name) }.code == code)
        #expect(try await !sandbox.isReadable(name))
        #expect(try await !sandbox.isWritable(name))
        #expect(try await sandbox.exists(name))
    }

    @Test func aFIFOIsNotOpened() async throws {
        let sandbox = try Sandbox(at: directory.text)
        try RawFiles.fifo(directory.appending("fifo"))
        try await expectRefused(sandbox, "fifo", .specialFile)
        #expect(try await failure { try await sandbox.write([1], to: "fifo") }.code == .specialFile)
    }

    @Test(.enabled(if: RawFiles.isRoot, "needs root, to make devices")) func aDeviceIsNotOpened() async throws {
        let sandbox = try Sandbox(at: directory.text)
        try RawFiles.device(directory.appending("device"))
        try await expectRefused(sandbox, "device", .specialFile)
    }

    @Test func aFileWithAnotherNameOutsideIsNotOpened() async throws {
        try directory.write("secret", to: "secret")
        let sandbox = try Sandbox(at: directory.appending("own"))
        try RawFiles.hardLink(directory.appending("own/hard"), to: directory.appending("secret"))
        try await expectRefused(sandbox, "hard", .hardLink)
        // A replaced name changes nothing outside.
        try await sandbox.write([1], to: "hard")
        #expect(try directory.read("secret") == "secret")
    }

    /// Runs the example on a file system of its own.
    private func record(_ preparation: String) async throws -> (String, Bool) {
        let environment = ["D": directory.text, "RECORDER": TestPlaces.program("recorder").string]
        let result = try await withLoop { loop in
            try await Namespace.run(preparation + "\n$RECORDER $D/own", environment: environment, on: loop)
        }
        return (result.outputText, result.isSuccess)
    }

    @Test(.enabled(if: Namespace.isAvailable, "\(Namespace.reason)")) func aFullFileSystemIsReported() async throws {
        let (output, isSuccess) = try await record(
            "mount -t tmpfs -o size=64k,mode=755 none $D\ndd if=/dev/zero of=$D/filler bs=4k >/dev/null 2>&1 || true")
        #expect(!isSuccess && output.hasPrefix("recorder: could not "), "\(output)")
        #expect(output.hasSuffix("free space on its file system\n"), "\(output)")
    }

    @Test(.enabled(if: Namespace.isAvailable, "\(Namespace.reason)")) func aReadOnlyFileSystemIsReported() async throws
    {
        let (output, isSuccess) = try await record(
            "mount -t tmpfs -o size=64k,mode=755 none $D\nmkdir $D/own\nmount -o remount,ro $D")
        #expect(!isSuccess && output.hasSuffix("make it writable\n"), "\(output)")
    }
}
