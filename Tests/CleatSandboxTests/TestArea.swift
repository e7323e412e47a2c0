import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// Names a way to open paths, so that the same test runs with each.
enum ResolverKind: String, CaseIterable, CustomTestStringConvertible {
    case openat2
    case walk

    var resolver: any PathResolver {
        switch self {
        case .openat2: Openat2Resolver()
        case .walk: WalkingResolver()
        }
    }

    /// Those that work on this kernel.
    static var available: [ResolverKind] {
        Resolvers.best is Openat2Resolver ? [.openat2, .walk] : [.walk]
    }

    var testDescription: String { rawValue }
}

/// An area for one test, next to a directory that must not change.
struct TestArea {
    let outside: TemporaryDirectory
    let root: AreaRoot
    let files: SandboxedDirectory

    var directory: FilePath { outside.path.appending("area") }

    init(
        _ kind: ResolverKind = .openat2, area: Area = .documents, quota: Quota = .unlimited,
        calls: any SandboxCalls = SystemFileCalls(), in outside: TemporaryDirectory? = nil
    ) throws {
        self.outside = try outside ?? TemporaryDirectory()
        let resolver = ResolverKind.available.contains(kind) ? kind.resolver : Resolvers.best
        root = try AreaRoot.open(
            self.outside.path.appending("area"), area: area, quota: quota, resolver: resolver, calls: calls)
        files = SandboxedDirectory(root)
    }

    /// The place of something in the area, as the rest of the system sees it.
    func place(_ path: String) -> String { directory.appending(path).string }

    func names(_ path: String = "") throws -> [String] { try SandboxListing.names(place(path)).sorted() }

    /// Returns the usage of the area, counted without the facade.
    func counted() throws -> AreaUsage { try AreaRoot.open(directory, area: .documents).account.usage() }
}

/// Runs `body` and gives the code of what it throws; nil where it throws nothing.
func code(_ body: () throws -> Void) throws -> SandboxError.Code? {
    do {
        try body()
        return nil
    } catch let error as SandboxError {
        return error.code
    }
}
