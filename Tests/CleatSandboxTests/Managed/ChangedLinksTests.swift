import CleatHash
import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of links that appear, disappear or change between a capture and the revert, and of other users' links.
@Suite(.tags(.board)) struct ChangedLinksTests {
    static let path = "/etc/hostname"

    /// A file that was captured, or that there was none, and then changed; with a file that nothing may touch.
    func captured(
        _ kind: RootResolver.Kind, _ before: String?, behind link: String? = nil
    ) throws -> (bench: ManagedBench, memento: FileMemento) {
        let bench = try ManagedBench(kind)
        try bench.put("root:x:0:0", "/etc/passwd")
        if let link { try SandboxListing.makeLink(bench.place(Self.path), to: link) }
        if let before { try bench.files.write(Array(before.utf8), to: Self.path, permissions: 0o600) }
        let memento = try FileMemento(encoded: bench.files.capture(Self.path).encoded)
        try bench.files.write(Array("trial".utf8), to: Self.path)
        return (bench, memento)
    }

    /// Replaces the object at the name by a link.
    func plant(_ target: String, _ bench: ManagedBench, user: UInt32? = nil) throws {
        let beside = bench.place("/etc/beside")
        try SandboxListing.makeLink(beside, to: target)
        if let user { try SandboxListing.giveLink(beside, to: user) }
        try SandboxListing.rename(beside, to: bench.place(Self.path))
    }

    /// Restores by itself, or in a batch with what is written ahead.
    func restore(_ memento: FileMemento, _ bench: ManagedBench, inBatch: Bool) throws {
        guard inBatch else { return try bench.files.restore(memento) }
        let other = ManagedFileWrite(Array("other".utf8), to: "/etc/resolv.conf")
        let files = bench.files.batching(ManagedFileBatch([ManagedFileWrite(memento), other].compactMap { $0 }))
        defer { files.abandon() }
        try files.restore(memento)
        #expect(files.makeDurable().isEmpty)
    }

    @Test(
        "a link that was made since is removed, or replaced by the former file, and is not followed",
        arguments: rootResolvers, [false, true])
    func plantedLinks(kind: RootResolver.Kind, inBatch: Bool) throws {
        let users: [UInt32?] = SandboxListing.isRoot ? [nil, 1] : [nil]
        for target in ["passwd", "/etc/passwd", "..", "none", "/none/none", "hostname"] {
            for (before, user) in [nil, "orig"].flatMap({ before in users.map { (before, $0) } }) {
                let (bench, memento) = try captured(kind, before)
                try plant(target, bench, user: user)
                try restore(memento, bench, inBatch: inBatch)
                #expect(try bench.text("/etc/passwd") == "root:x:0:0", "\(target)")
                #expect(try bench.names("/etc") == (before == nil ? ["passwd"] : ["hostname", "passwd"]), "\(target)")
                if let before {
                    #expect(try SandboxListing.kind(bench.place(Self.path)) == .regular, "\(target)")
                    #expect(try bench.text(Self.path) == before)
                    #expect(try SandboxListing.status(bench.place(Self.path)).mode == 0o600)
                }
                try bench.expectNothingOutside()
            }
        }
    }

    @Test(
        "a file that was captured behind a link is restored only if a link still leads to it",
        arguments: rootResolvers, [nil, "orig"] as [String?])
    func followedLinks(kind: RootResolver.Kind, before: String?) throws {
        for now in ["../run/name", "/run/name", "/etc/../run/./name", "second"] {
            let (bench, memento) = try captured(kind, before, behind: "../run/name")
            try SandboxListing.makeLink(bench.place("/etc/second"), to: "/run/name")
            try plant(now, bench)
            try bench.files.restore(memento)
            #expect(try bench.names("/run") == (before == nil ? [] : ["name"]), "\(now)")
            if let before { #expect(try bench.text("/run/name") == before) }
            #expect(try SandboxListing.isLink(bench.place(Self.path)))
        }
        for now in ["passwd", "../run/other", "name", "/none/name", nil] {
            let (bench, memento) = try captured(kind, before, behind: "../run/name")
            if let now {
                try plant(now, bench)
            } else {
                try SandboxListing.remove(bench.place(Self.path))
                try bench.put("theirs", Self.path)
            }
            // What is not there any more behind a link to nowhere need not be taken away.
            let refusal: SandboxError.Code? = now == "/none/name" ? (before == nil ? nil : .notFound) : .changed
            do throws(SandboxError) {
                try bench.files.restore(memento)
                #expect(refusal == nil, "\(now ?? "a file")")
            } catch {
                #expect(error.code == refusal, "\(now ?? "a file"): \(error)")
                if refusal == .changed { #expect("\(error)".contains("/etc/../run/name"), "\(error)") }
            }
            #expect(try bench.text("/etc/passwd") == "root:x:0:0")
            #expect(try bench.text("/run/name") == "trial")
            #expect(try bench.names("/run") == ["name"])
            if now == nil { #expect(try bench.text(Self.path) == "theirs") }
        }
    }

    @Test(
        "a link that belongs to another user is not followed, at the end of a path and on the way",
        .enabled(if: SandboxListing.isRoot, "needs root, to give files away"), arguments: rootResolvers)
    func foreignLinks(kind: RootResolver.Kind) throws {
        let bench = try ManagedBench(kind, ["/etc/hostname", "/etc/way/passwd", "/etc/second"], makesParents: true)
        try bench.put("root:x:0:0", "/etc/passwd")
        try bench.put("own", "/run/own")
        let memento = try bench.files.capture("/etc/way/passwd")
        for (name, target) in [("hostname", "passwd"), ("way", "../etc"), ("third", "../run/own")] {
            try SandboxListing.makeLink(bench.place("/etc/\(name)"), to: target)
            try SandboxListing.giveLink(bench.place("/etc/\(name)"), to: 1)
        }
        // One's own that leads to another's.
        try SandboxListing.makeLink(bench.place("/etc/second"), to: "third")
        let before = try SandboxListing.fingerprint(bench.place("/"))
        for path in ["/etc/hostname", "/etc/way/passwd", "/etc/second"] {
            #expect(try code { _ = try bench.files.read(path) } == .foreignLink, "\(path)")
            #expect(try code { _ = try bench.files.capture(path) } == .foreignLink, "\(path)")
            #expect(try code { try bench.files.write([1], to: path) } == .foreignLink, "\(path)")
            #expect(try code { try bench.files.remove(path) } == .foreignLink, "\(path)")
            #expect(try code { try bench.files.checkWritable(path) } == .foreignLink, "\(path)")
            #expect(try code { try bench.files.flush(path) } == .foreignLink, "\(path)")
        }
        #expect(try code { try bench.files.restore(memento) } == .foreignLink)
        #expect(try bench.files.sweep() == 0)
        #expect(try SandboxListing.fingerprint(bench.place("/")) == before)
        for name in ["hostname", "way", "third"] {
            try SandboxListing.giveLink(bench.place("/etc/\(name)"), to: SandboxListing.user)
        }
        #expect(try bench.files.read("/etc/way/passwd").bytes == Array("root:x:0:0".utf8))
        #expect(try bench.files.read("/etc/second").bytes == Array("own".utf8))
    }
}
