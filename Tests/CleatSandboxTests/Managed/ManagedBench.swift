import CleatSandbox
import CleatTestSupport
import SystemPackage
import Testing

/// Ways to resolve paths that work on this kernel.
let rootResolvers: [RootResolver.Kind] = {
    guard let root = try? FileDescriptor.open(FilePath("/"), .readOnly, options: .directory) else { return [.walking] }
    defer { try? root.close() }
    return RootResolver.best(for: root, calls: SystemFileCalls()).kind == .kernel ? [.kernel, .walking] : [.walking]
}()

/// A root directory of a test's own, `/` for the managed files, with a canary outside that nothing may touch.
struct ManagedBench {
    let outside: TemporaryDirectory
    let files: ManagedFiles

    static let declared = ["/etc/hostname", "/etc/resolv.conf", "/etc/systemd/network/*.network"]

    init(
        _ kind: RootResolver.Kind = .walking, _ declared: [String] = Self.declared, makesParents: Bool = false,
        sizeLimit: Int = 10_000, calls: any ManagedFileCalls = SystemFileCalls()
    ) throws {
        outside = try TemporaryDirectory()
        try outside.write("precious", to: "canary")
        for directory in ["root", "root/etc", "root/run"] {
            try SandboxListing.makeDirectory(outside.appending(directory))
        }
        files = try ManagedFiles(
            root: outside.path.appending("root"),
            declarations: declared.map {
                try ManagedFileDeclaration($0, makesParents: makesParents, sizeLimit: sizeLimit)
            }, resolver: RootResolver(kind), calls: calls)
    }

    /// The place of a path below the root, as the rest of the system sees it.
    func place(_ path: String) -> String { outside.appending("root" + path) }

    func put(_ text: String, _ path: String, mode: UInt16 = 0o644) throws {
        try outside.write(text, to: "root" + path, mode: mode)
    }

    func text(_ path: String) throws -> String { try outside.read("root" + path) }

    func names(_ path: String) throws -> [String] { try SandboxListing.names(place(path)).sorted() }

    /// Requires that nothing outside of the root has changed.
    func expectNothingOutside(_ location: SourceLocation = #_sourceLocation) throws {
        #expect(try SandboxListing.names(outside.text).sorted() == ["canary", "root"], sourceLocation: location)
        #expect(try outside.read("canary") == "precious", sourceLocation: location)
    }
}
