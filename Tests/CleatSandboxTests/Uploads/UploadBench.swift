import CleatHash
import CleatIO
import CleatSandbox
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

/// Clocks that a test sets.
final class TestClocks: Sendable {
    private let stamp = Mutex(
        UploadStamp(boot: BootID("first"), bootTime: 1_000_000, wallTime: 1_700_000_000_000, isSynchronised: true))

    var now: UploadStamp { stamp.withLock { $0 } }

    func set(_ change: (inout UploadStamp) -> Void) { stamp.withLock { change(&$0) } }

    /// Both clocks go on.
    func advance(milliseconds: Int64) {
        set {
            $0.bootTime += milliseconds
            $0.wallTime += milliseconds
        }
    }

    static let hour: Int64 = 3_600_000
}

/// An area with its uploads, which can be opened again as after a restart of the service.
struct UploadBench {
    let area: TestArea
    let clocks: TestClocks
    let log: CommitLog
    private(set) var store: UploadStore

    init(
        _ kind: ResolverKind = .openat2, quota: Quota = .unlimited, calls: any SandboxCalls = SystemFileCalls(),
        clocks: TestClocks = TestClocks(), in outside: TemporaryDirectory? = nil
    ) throws {
        area = try TestArea(kind, quota: quota, calls: calls, in: outside)
        self.clocks = clocks
        log = try CommitLog(in: area.outside.path.appending("log"), calls: calls) { clocks.now }
        store = try UploadStore(area.root, log: log) { clocks.now }
    }

    /// The same place, opened by another run of the service.
    func restarted(
        quota: Quota = .unlimited, calls: any SandboxCalls = SystemFileCalls()
    ) throws -> UploadBench {
        try UploadBench(quota: quota, calls: calls, clocks: clocks, in: area.outside)
    }

    func request(_ key: UploadKey, _ path: String, _ content: [UInt8]) throws -> UploadRequest {
        try UploadRequest(
            key: key, path: SandboxPath(path), size: Int64(content.count), sha256: SHA256.hexadecimal(of: content))
    }

    /// Sends the missing part of a started upload.
    func send(_ key: UploadKey, _ content: [UInt8], from offset: Int64, piece: Int = 100_000) throws {
        var offset = offset
        while offset < content.count {
            offset = try store.write(key, at: offset, Array(content[Int(offset)...].prefix(piece)))
        }
    }

    /// Makes the steps of a commit to its end, and says how many there were.
    @discardableResult
    func commit(_ key: UploadKey) throws -> Int {
        var steps = 1
        while try store.commit(key) != .complete { steps += 1 }
        return steps
    }

    /// Puts a file as a client does.
    func put(_ key: UploadKey, _ path: String, _ content: [UInt8], piece: Int = 100_000) throws {
        let offset = try store.begin(request(key, path, content))
        try send(key, content, from: offset, piece: piece)
        try commit(key)
    }

    /// The names in a directory that belong to uploads.
    func partials(_ path: String = "") throws -> [String] {
        try area.names(path).filter { $0.hasPrefix(".cleat-") }
    }

    /// Requires that the account of the area is its counted usage.
    func expectExactAccount(_ location: SourceLocation = #_sourceLocation) throws {
        #expect(try area.root.account.usage() == area.counted(), sourceLocation: location)
    }
}

/// In tests, an id by itself is one of root's.
extension UploadKey: ExpressibleByStringInterpolation {
    /// Names an upload of root's.
    public init(stringLiteral id: String) { self.init(owner: 0, id: id) }
}

/// Runs `body` and gives the error of an upload that it throws.
func uploadError(_ body: () throws -> Void) throws -> UploadError? {
    do {
        try body()
        return nil
    } catch let error as UploadError {
        return error
    }
}
