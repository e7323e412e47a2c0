import CleatIO
import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// No FIFO has a reader and no driver is asked for an instant, either: a writer that waits there must go on waiting.
@Suite(.tags(.board)) struct SpecialFileTests {
    static let operations = TestMachine.rounds(20_000, briefly: 500)

    /// Tries all operations that open a file, and returns their error.
    private func tryAll(_ area: TestArea, _ name: String, _ round: Int) throws -> SandboxError.Code? {
        let path = try SandboxPath(name)
        return try code {
            switch round % 4 {
            case 0: _ = try area.files.reader(path)
            case 1: _ = try area.files.read(path)
            case 2: try area.files.append([1], to: path)
            default: try area.files.copy(path, to: area.files, as: SandboxPath("copy"), replacing: true)
            }
        }
    }

    @Test func anOpenForAnInstantWouldBeSeen() throws {
        let area = try TestArea()
        try SandboxListing.makeFIFO(area.place("fifo"))
        let watch = try OpenWatch(area.place("fifo"))
        #expect(try area.files.attributes(of: SandboxPath("fifo")).type == .fifo)
        #expect(try watch.opens() == 0)
        try FileDescriptor.open(FilePath(area.place("fifo")), .readOnly, options: .nonBlocking).close()
        #expect(try watch.opens() == 1)
    }

    @Test(arguments: ResolverKind.available)
    func aFIFOIsNotOpenedForAnInstant(kind: ResolverKind) throws {
        let area = try TestArea(kind)
        try SandboxListing.makeFIFO(area.place("fifo"))
        let watch = try OpenWatch(area.place("fifo"))
        for round in 0..<4 { #expect(try tryAll(area, "fifo", round) == .specialFile) }
        #expect(try watch.opens() == 0)
    }

    /// A driver that takes every open: one that takes none would hide that it was asked.
    @Test(.enabled(if: SandboxListing.isRoot, "needs root, to make devices"), arguments: ResolverKind.available)
    func aDeviceIsNotOpenedForAnInstant(kind: ResolverKind) throws {
        let area = try TestArea(kind)
        try SandboxListing.makeNullDevice(area.place("null"))
        let watch = try OpenWatch(area.place("null"))
        for round in 0..<4 { #expect(try tryAll(area, "null", round) == .specialFile) }
        #expect(try watch.opens() == 0)
    }

    /// Another process gives the FIFO and a file each other's names all the while.
    @Test(arguments: ResolverKind.available)
    func aFIFOThatTakesTheNameInBetweenIsNotOpened(kind: ResolverKind) async throws {
        let calls = FaultyFileCalls()
        calls.flushes = false
        let area = try TestArea(kind, calls: calls)
        try area.files.write([0], to: SandboxPath("file"))
        try SandboxListing.makeFIFO(area.place("fifo"))
        let watch = try OpenWatch(area.place("fifo"))
        try await withLoop { loop in
            var command = ChildCommand(
                TestPlaces.program("sandbox-probe").string, ["swap", area.directory.string, "file", "fifo"])
            command.timeout = .seconds(1800).onThisMachine
            let swapper = loop.task { [command] in try await loop.run(command) }
            let began = try await loop.eventually { try SandboxListing.kind(area.place("file")) == .other }
            try #require(began)
            let worker = Worker(name: "race")
            defer { worker.shutdown() }
            let (done, refused) = try await worker.run {
                var (done, refused, round) = (0, 0, 0)
                // Where one core is shared, it may take more of them until both were met.
                while round < Self.operations || (round < 50 * Self.operations && min(done, refused) < 100) {
                    // Appending makes the file grow: seldom.
                    let code = try tryAll(area, "file", round % 64 == 2 ? 2 : round % 2)
                    if code == nil { done += 1 }
                    if code == .specialFile { refused += 1 }
                    round += 1
                }
                return (done, refused)
            }
            try area.outside.write("", to: "area/stop")
            #expect(try await swapper.value.isSuccess)
            #expect(done >= 100 && refused >= 100, "\(done) done, \(refused) refused")
        }
        #expect(try watch.opens() == 0)
    }
}
