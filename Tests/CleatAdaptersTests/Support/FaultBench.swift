import CleatHash
import CleatSandbox
import CleatSettings
import CleatTemplates
import SystemPackage
import TemplateTestSupport
import Testing

@testable import CleatAdapters

/// A board of a world on which A is in force, and B is about to be.
struct FaultBench {
    let board: TestBoard
    let system: SystemResources
    let settings: (a: LayeredSettings, b: LayeredSettings)
    let change: SystemChange
    let origins: [Resource: Memento]
    /// The captured states of a change to B.
    let mementos: [Memento]
    /// The state of the board with A.
    let before: [String: String]
    private let area: SandboxedDirectory?

    var set: AdapterSet { board.set }
    var calls: FaultyCalls { board.calls }

    init(_ world: FaultWorld) throws {
        var board = try TestBoard(
            isRunning: true, hasTreeKernel: world.hasTreeKernel, prepare: world.prepare)
        if let rules = world.rules {
            board.schema = try TemplateFixture.schema()
            board.set = AdapterSet([TemplateAdapter(try ApplyFixture.read(rules))])
            board.system = board.system.declaring(board.set.files)
        }
        var contents: DocumentContents = [:]
        for text in world.documents { contents[SHA256.hexadecimal(of: text.utf8)] = Array(text.utf8) }
        var area: SandboxedDirectory?
        if !contents.isEmpty {
            let place = FilePath(board.root + "/documents")
            area = SandboxedDirectory(
                try AreaRoot.open(place, area: .documents, quota: .unlimited, calls: board.calls))
            board.system = try SystemResources(root: FilePath(board.root), documents: area).providing(contents)
        }
        let (a, b) = (try board.settings(world.a), try board.settings(world.b))
        var origins: [Resource: Memento] = [:]
        let first = try AppliedChange(board, from: try board.settings([]), to: a, origins: &origins)
        try #require(first.isSuccess, "\(first.results)")
        change = board.set.change(from: a, to: b)
        #expect(change.parts.map(\.adapter) == world.adapters)
        mementos = try board.set.applier.capture(change, on: board.system)
        for memento in mementos where origins[memento.resource] == nil { origins[memento.resource] = memento }
        self.board = board
        self.origins = origins
        system = board.system
        settings = (a, b)
        self.area = area
        before = try Self.state(board)
    }

    /// All that can have changed, but for temporary files of documents that could not be taken away.
    func state() throws -> [String: String] { try Self.state(board) }

    private static func state(_ board: TestBoard) throws -> [String: String] {
        try board.state().filter { !($0.key.hasPrefix("documents/") && $0.key.contains(".cleat-")) }
    }

    /// Returns true if the counted space of the area is the used space.
    func countsRight() throws -> Bool {
        guard let account = area?.root.account else { return true }
        return try account.usage() == account.usage(recounting: true)
    }

    func apply() -> [AdapterOutcome] { set.applier.apply(change, on: system, origins: origins) }

    func restore() -> [AdapterOutcome] { set.applier.restore(mementos, on: system) }

    /// Returns the number of calls of a body if none fails.
    func calls(_ body: () throws -> Void) rethrows -> Int {
        calls.fail(at: nil)
        try body()
        return calls.count
    }

    /// Returns the state of the board with B.
    func after() throws -> [String: String] {
        try #require(apply().flatMap(\.errors).isEmpty)
        let after = try state()
        try #require(restore().flatMap(\.errors).isEmpty)
        try #require(try state() == before)
        return after
    }
}
