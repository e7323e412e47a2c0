import CleatIO
import CleatJSON
import CleatSettings
import CleatStore
import CleatTestSupport
import SystemPackage
import Testing

/// A fixed time, so that nothing in a test depends on the clock.
let stamp = CommitStamp(time: 1_700_000_000_000, bootID: "boot-a", bootTime: 10_000_000, synchronised: true)

/// Makes the change of one leaf.
func change(_ path: String, _ value: JSONValue?) throws -> StoredChange {
    StoredChange(path: try SettingPath(path), old: nil, new: value)
}

/// Makes a commit request; its hash is its id unless one is given.
func request(
    _ id: String, _ changes: [(String, JSONValue?)], hash: String? = nil, expect: GenerationRef? = nil,
    comment: String? = nil
) throws -> CommitRequest {
    CommitRequest(
        changes: try changes.map { try change($0.0, $0.1) }, id: id, hash: hash ?? "hash of \(id)", expect: expect,
        author: "tester", comment: comment, stamp: stamp)
}

extension StoreFile {
    /// Commits changes under an id of their own and gives the number of the generation.
    @discardableResult
    func set(_ changes: (String, JSONValue?)...) throws -> Int64 { try commit(changes) }

    /// Commits changes, as ``set(_:)`` does.
    func commit(_ changes: [(String, JSONValue?)]) throws -> Int64 {
        let outcome = try commits.commit(try request("set-\(generation.generation + 1)", changes))
        guard case .committed(let reference, _) = outcome else { throw Unexpected(what: "\(outcome)") }
        return reference.generation
    }

    /// All settings by path.
    var values: [String: JSONValue] {
        get throws {
            Dictionary(uniqueKeysWithValues: try settings.state().settings.map { ($0.path.text, $0.value) })
        }
    }
}

/// Says what a test did not expect.
struct Unexpected: Error {
    var what: String
}

/// Reads all bytes of a file.
func bytes(_ path: String) throws -> [UInt8] { try bytes(of: FilePath(path)) }

/// Writes a file, or another content to it.
func write(_ content: [UInt8], to path: String) throws { try write(content, to: FilePath(path)) }

/// The names in a directory, sorted.
func names(in directory: String) throws -> [String] {
    try DirectoryListing.names(directory).sorted()
}

/// The content of every file in a directory.
func contents(in directory: String) throws -> [String: [UInt8]] {
    var all: [String: [UInt8]] = [:]
    for name in try names(in: directory) { all[name] = try bytes("\(directory)/\(name)") }
    return all
}

/// Limits that keep the files small, so that the log is moved to the main file often.
let smallLimits = StoreLimits(logFrames: 16)

/// Runs the writer's process to its end.
func runWriter(
    _ arguments: [String], timeout: Duration = .seconds(30).onThisMachine, user: ChildCommand.User? = nil,
    limits: [ResourceLimit] = []
) async throws -> ChildResult {
    return try await withLoop { loop in
        try await loop.run(
            ChildCommand(
                program: .path(writer), arguments: arguments, environment: [:], outputLimit: 1 << 20, timeout: timeout,
                limits: limits, user: user))
    }
}

/// The writer's program.
let writer = TestPlaces.program("StoreWriter")
