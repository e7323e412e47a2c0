import CleatIO
import CleatTestSupport
import SystemPackage
import Testing

@Suite("The trust in a file", .tags(.board))
struct TrustPolicyTests {
    let directory: TemporaryDirectory
    let policy = TrustPolicy(user: Files.user)

    init() throws {
        directory = try TemporaryDirectory()
        try Files.makeDirectory(directory.appending("d"))
        try directory.write("#!/bin/sh\nexit 0\n", to: "d/script", mode: 0o755)
        try directory.write("hello", to: "d/plain", mode: 0o644)
    }

    private func path(_ name: String) -> String { directory.appending(name) }

    private func refusal(_ name: String, for purpose: TrustPolicy.Purpose = .running) throws -> TrustError {
        try #require(throws: TrustError.self) { try policy.open(path(name), for: purpose) }
    }

    @Test("is given if only root and the service's user can write to it")
    func safe() throws {
        let script = try policy.open(path("d/script"), for: .running)
        #expect(script.isScript && script.path == Files.resolve(path("d/script")))
        #expect(try policy.open(path("d/plain"), for: .reading).size == 5)
        #expect(try policy.open(path("d/../d/./plain"), for: .reading).path == Files.resolve(path("d/plain")))
        #expect(try policy.open(path("d"), for: .listing).path == Files.resolve(path("d")))
        #expect(try policy.open("/", for: .listing).path == "/")
    }

    @Test("is given through links that are safe themselves")
    func systemProgram() throws {
        let shell = try policy.open("/bin/sh", for: .running)
        #expect(shell.path == Files.resolve("/bin/sh"))
        #expect(!shell.isScript)
    }

    @Test("is refused below a root directory if a link leads out of it")
    func root() throws {
        let names = ["root", "root/in", "root/deep", "root/deep/er", "out"]
        for name in names { try Files.makeDirectory(path(name)) }
        for name in ["root/in/file", "out/file", "root/file"] { try directory.write("x", to: name) }
        let links = [
            ("root/deep/relative", "../in"), ("root/deep/up", "../../out"), ("root/absolute", path("out")),
            ("root/self", path("root/in")), ("root/deep/er/through", "../../absolute"),
            ("root/there-and-back", "../root/in"), ("root/mask", "/dev/null"), ("alias", "root"),
        ]
        for (name, target) in links { try Files.makeLink(path(name), to: target) }
        for root in ["root", "alias"] {
            let policy = TrustPolicy(user: Files.user, root: path(root))
            for place in ["file", "in/file", "deep/relative/file", "self/file", "there-and-back/file", "mask"] {
                _ = try policy.open(path("\(root)/\(place)"), for: .layering)
            }
            // What is named by another path is not of that system.
            _ = try policy.open(path("out/file"), for: .reading)
            for (place, link) in [
                ("absolute", "absolute"), ("deep/up", "deep/up"), ("deep/er/through", "absolute"),
                ("absolute/file", "absolute"),
            ] {
                let purpose: TrustPolicy.Purpose = place.hasSuffix("file") ? .layering : .listing
                let error = try #require(throws: TrustError.self) {
                    try policy.open(path("\(root)/\(place)"), for: purpose)
                }
                let named = ["\(root)/\(link)", "root/\(link)"].map(path)
                #expect(named.contains(error.path), "\(place): \(error)")
                #expect(error.errno == .notPermitted, "\(error)")
            }
        }
    }

    @Test("is refused if others can write to the file", arguments: [0o757, 0o775, 0o777, 0o722] as [UInt32])
    func writableFile(mode: UInt32) throws {
        try Files.setMode(path("d/script"), mode)
        let error = try refusal("d/script")
        #expect(error.path == path("d/script") && error.errno == .notPermitted, "\(error)")
        #expect(try refusal("d/script", for: .reading).path == path("d/script"))
    }

    @Test("is refused if others can write to a directory above", arguments: [0o777, 0o775, 0o757] as [UInt32])
    func writableDirectory(mode: UInt32) throws {
        try Files.setMode(path("d"), mode)
        #expect(try refusal("d/script").path == path("d"))
        #expect(try refusal("d/plain", for: .reading).path == path("d"))
        #expect(try refusal("d", for: .listing).path == path("d"))
    }

    @Test("is given in a sticky directory")
    func stickyDirectory() throws {
        try Files.setMode(path("d"), 0o1777)
        _ = try policy.open(path("d/script"), for: .running)
    }

    @Test("is given if a group can write that has no other members")
    func privateGroup() throws {
        try Files.setMode(path("d"), 0o775)
        try Files.setMode(path("d/script"), 0o775)
        #expect(throws: TrustError.self) { try policy.open(path("d/script"), for: .running) }
        var groups = policy
        groups.privateGroups = Set(0...65_535)
        _ = try groups.open(path("d/script"), for: .running)
        try Files.setMode(path("d/script"), 0o777)
        #expect(throws: TrustError.self) { try groups.open(path("d/script"), for: .running) }
    }

    // Only root can give files away.
    @Test("is refused if another user owns it", .enabled(if: Files.isRoot, "needs root to give files away"))
    func foreignOwner() throws {
        try Files.setOwner(path("d/script"), user: 4242)
        let error = try refusal("d/script")
        #expect(error.path == path("d/script") && error.errno == .notPermitted, "\(error)")
        try Files.setOwner(path("d/script"), user: 0)
        try Files.setMode(path("d"), 0o1777)
        try Files.setOwner(path("d"), user: 4242)
        #expect(try refusal("d/script").path == path("d"))
        #expect(try TrustPolicy(user: 4242).open(path("d/script"), for: .running).isScript)
    }

    @Test("is refused behind a link of another user", .enabled(if: Files.isRoot, "needs root to give files away"))
    func foreignLink() throws {
        try Files.makeLink(path("link"), to: path("d/script"))
        #expect(try policy.open(path("link"), for: .running).path == Files.resolve(path("d/script")))
        try Files.setOwner(path("link"), user: 4242)
        #expect(try refusal("link").path == path("link"))
    }

    @Test("is checked at the target of a link")
    func linkIntoUnsafeDirectory() throws {
        try Files.makeLink(path("link"), to: "d/script")
        #expect(try policy.open(path("link"), for: .running).isScript)
        try Files.setMode(path("d"), 0o777)
        #expect(try refusal("link").path == path("d"))
        try Files.setMode(path("d"), 0o755)
        try Files.setMode(path("d/script"), 0o757)
        #expect(try refusal("link").path == path("d/script"))
    }

    @Test("is refused for a link in the place of a hook file")
    func linkedHookFile() throws {
        try Files.makeLink(path("link"), to: "d/plain")
        #expect(try refusal("link", for: .reading).errno == .tooManySymbolicLinkLevels)
        try Files.makeLink(path("dirlink"), to: "d")
        #expect(try policy.open(path("dirlink/plain"), for: .reading).size == 5)
    }

    @Test("is refused for links in circles")
    func linkLoop() throws {
        try Files.makeLink(path("a"), to: "b")
        try Files.makeLink(path("b"), to: "a")
        #expect(try refusal("a").errno == .tooManySymbolicLinkLevels)
        try Files.makeLink(path("deep"), to: String(repeating: "d/../", count: 300) + "d/script")
        #expect(try refusal("deep").errno == .tooManySymbolicLinkLevels)
    }

    @Test("is not required of a path that a hook may write, but of the links that lead there")
    func confining() throws {
        try Files.setMode(path("d"), 0o777)
        #expect(try policy.open(path("d"), for: .confining).path == Files.resolve(path("d")))
        #expect(try policy.open(path("d/plain"), for: .confining).path == Files.resolve(path("d/plain")))
        try Files.makePipe(path("d/pipe"))
        _ = try policy.open(path("d/pipe"), for: .confining)
        _ = try policy.open("/dev/null", for: .confining)
        #expect(try policy.open("/", for: .confining).path == "/")
        try Files.makeLink(path("link"), to: "d")
        #expect(try policy.open(path("link"), for: .confining).path == Files.resolve(path("d")))
        #expect(try refusal("d/missing", for: .confining).errno == .noSuchFileOrDirectory)
        #expect(try refusal("d/plain/x", for: .confining).errno == .notDirectory)
        try Files.makeLink(path("circle"), to: "circle")
        #expect(try refusal("circle", for: .confining).errno == .tooManySymbolicLinkLevels)
        guard Files.isRoot else { return }
        try Files.setOwner(path("d"), user: 4242)
        _ = try policy.open(path("d"), for: .confining)
        try Files.setOwner(path("link"), user: 4242)
        #expect(try refusal("link", for: .confining).path == path("link"))
    }

    @Test("is distinguished from a missing file")
    func otherKinds() throws {
        try Files.makePipe(path("d/pipe"))
        #expect(try refusal("d/pipe", for: .reading).errno == .invalidArgument)
        #expect(try refusal("d/pipe").errno == .invalidArgument)
        #expect(try refusal("d", for: .running).errno == .isDirectory)
        #expect(try refusal("d/plain", for: .listing).errno == .notDirectory)
        #expect(try refusal("d/plain/x").errno == .notDirectory)
        #expect(try refusal("d/plain").errno == .permissionDenied)
        let missing = try refusal("d/missing")
        #expect(missing.errno == .noSuchFileOrDirectory && missing.path == path("d/missing"))
        #expect(throws: TrustError.self) { try policy.open("bin/sh", for: .running) }
        #expect(throws: TrustError.self) { try policy.open("", for: .running) }
        #expect(throws: TrustError.self) { try policy.open("/bin/sh\0x", for: .running) }
    }

    @Test("leaves no descriptor open")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            try await endingWithIssues {
                let directory = try TemporaryDirectory()
                try directory.write("hello", to: "plain")
                let policy = TrustPolicy(user: Files.user)
                func count() -> Int {
                    (0..<1000).count { (try? FileDescriptor(rawValue: Int32($0)).duplicate().close()) != nil }
                }
                let before = count()
                for _ in 0..<100 {
                    _ = try policy.open("/bin/sh", for: .running)
                    _ = try policy.open(directory.text, for: .listing)
                    for name in ["missing", "plain", "plain/x", ".", "../..//plain"] {
                        _ = try? policy.open(directory.appending(name), for: .running)
                        _ = try? policy.open(directory.appending(name), for: .reading)
                    }
                }
                // The process that a test runs in may open something of its own meanwhile; a leak would be a hundred at least.
                try #require(count() < before + 50)
            }
        }
    }
}

@Suite("Private groups", .tags(.board))
struct GroupMembershipTests {
    static let passwd = """
        root:x:0:0:root:/root:/bin/sh
        anna:x:1000:1000::/home/anna:/bin/sh
        bert:x:1001:1001::/home/bert:/bin/sh
        carl:x:1002:100::/home/carl:/bin/sh
        dora:x:1003:100::/home/dora:/bin/sh
        broken
        """
    static let group = """
        root:x:0:
        anna:x:1000:anna
        bert:x:1001:anna
        users:x:100:
        board:x:200:anna,root
        ghost:x:300:nobody-knows
        """

    @Test(
        "have no other members",
        arguments: [
            (0, [0], true), (0, [0, 1000], true), (1000, [0, 1000], true), (1000, [0], false),
            (1001, [0, 1001], false),
            (100, [0, 1002], false), (100, [1002, 1003], true), (200, [0, 1000], true), (200, [0], false),
            (300, [0], false), (999, [0], false),
        ] as [(UInt32, Set<UInt32>, Bool)])
    func isPrivate(group: UInt32, users: Set<UInt32>, expected: Bool) {
        let names = GroupMembership(passwd: Self.passwd, group: Self.group)
        #expect(names.isPrivate(group: group, users: users) == expected)
    }
}
