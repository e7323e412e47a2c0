import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// No way out, and nothing opened but plain files, whichever way paths are opened.
@Suite(.tags(.board)) struct JailTests {
    let secret = Array("secret".utf8)

    @Test(arguments: ResolverKind.available)
    func linksAreNeverFollowed(kind: ResolverKind) throws {
        let area = try TestArea(kind)
        try area.outside.write("secret", to: "secret")
        try SandboxListing.makeDirectory(area.outside.appending("beside"))
        try area.outside.write("secret", to: "beside/secret")
        try SandboxListing.makeDirectory(area.place("inside"))
        try SandboxListing.makeLink(area.place("file"), to: "../secret")
        try SandboxListing.makeLink(area.place("absolute"), to: area.outside.appending("secret"))
        try SandboxListing.makeLink(area.place("directory"), to: "../beside")
        try SandboxListing.makeLink(area.place("up"), to: "..")
        try SandboxListing.makeLink(area.place("within"), to: "inside")
        try SandboxListing.makeLink(area.place("loop"), to: "loop")
        try SandboxListing.makeLink(area.place("process"), to: "/proc/self/root")
        for text in [
            "file", "absolute", "directory/secret", "up/secret", "within/x", "loop", "loop/x", "process/etc/passwd",
            "up/area/file",
        ] {
            let path = try SandboxPath(text)
            #expect(try code { _ = try area.files.read(path) } == .symbolicLink, "\(text)")
            #expect(try code { try area.files.write([1], to: path) } == .symbolicLink, "\(text)")
            #expect(try code { try area.files.append([1], to: path) } == .symbolicLink, "\(text)")
        }
        #expect(try area.files.attributes(of: SandboxPath("file")).type == .symbolicLink)
        #expect(try !area.files.isReadable(SandboxPath("file")))
        #expect(try area.outside.read("secret") == "secret")
        #expect(try area.outside.read("beside/secret") == "secret")
        #expect(try SandboxListing.names(area.outside.appending("beside")) == ["secret"])
    }

    @Test(arguments: ResolverKind.available)
    func fifosAndSocketsAreNeverOpened(kind: ResolverKind) throws {
        let area = try TestArea(kind)
        try SandboxListing.makeFIFO(area.place("fifo"))
        try SandboxListing.makeSocket(area.place("socket"))
        for (name, type) in [("fifo", FileKind.fifo), ("socket", .socket)] {
            let path = try SandboxPath(name)
            #expect(try code { _ = try area.files.read(path) } == .specialFile)
            #expect(try code { try area.files.write([1], to: path) } == .specialFile)
            #expect(try code { try area.files.append([1], to: path) } == .specialFile)
            #expect(try area.files.attributes(of: path).type == type)
            #expect(try !area.files.isWritable(path))
        }
        #expect(try area.names() == ["fifo", "socket"])
    }

    @Test(
        .enabled(if: SandboxListing.isRoot, "needs root, to make devices"), arguments: ResolverKind.available,
        [false, true])
    func devicesAreNeverOpened(kind: ResolverKind, block: Bool) throws {
        let area = try TestArea(kind)
        try SandboxListing.makeDevice(area.place("device"), block: block)
        let path = try SandboxPath("device")
        #expect(try code { _ = try area.files.read(path) } == .specialFile)
        #expect(try code { try area.files.write([1], to: path) } == .specialFile)
        #expect(try code { try area.files.append([1], to: path) } == .specialFile)
        #expect(try area.files.attributes(of: path).type == (block ? .blockDevice : .characterDevice))
    }

    @Test(arguments: ResolverKind.available)
    func aFileWithAnotherNameIsNeitherReadNorAddedTo(kind: ResolverKind) throws {
        let area = try TestArea(kind)
        try area.outside.write("secret", to: "secret")
        try SandboxListing.makeHardLink(area.place("file"), to: area.outside.appending("secret"))
        let path = try SandboxPath("file")
        #expect(try code { _ = try area.files.read(path) } == .hardLink)
        #expect(try code { try area.files.append([1], to: path) } == .hardLink)
        #expect(try !area.files.isReadable(path))
        // Replacing puts a new file in the place of the name, and leaves the other one alone.
        try area.files.write([1, 2], to: path)
        #expect(try area.files.read(path) == [1, 2])
        #expect(try area.outside.read("secret") == "secret")
    }

    @Test(arguments: ResolverKind.available)
    func aFileIsNoDirectoryAndADirectoryNoFile(kind: ResolverKind) throws {
        let area = try TestArea(kind)
        try area.files.write([1], to: SandboxPath("file"))
        try SandboxListing.makeDirectory(area.place("directory"))
        #expect(try code { _ = try area.files.read(SandboxPath("file/x")) } == .notDirectory)
        #expect(try code { try area.files.write([1], to: SandboxPath("file/x")) } == .notDirectory)
        #expect(try code { _ = try area.files.read(SandboxPath("directory")) } == .isDirectory)
        #expect(try code { try area.files.write([1], to: SandboxPath("directory")) } == .isDirectory)
        #expect(try code { try area.files.append([1], to: SandboxPath("directory")) } == .isDirectory)
        #expect(try code { _ = try area.files.read(.root) } == .isDirectory)
        #expect(try code { try area.files.write([1], to: .root) } == .isDirectory)
        #expect(try code { _ = try area.files.read(SandboxPath("none")) } == .notFound)
        #expect(try code { try area.files.write([1], to: SandboxPath("none/x")) } == .notFound)
        #expect(try area.files.exists(SandboxPath("file/x")) == false)
        #expect(try area.files.exists(SandboxPath("none")) == false)
        #expect(try area.files.exists(SandboxPath("directory")))
        #expect(try area.files.exists(.root))
    }
}
