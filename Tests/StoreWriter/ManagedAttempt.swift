import CleatSandbox
import SystemPackage

/// Tries all operations on one managed file, and prints the result of each.
enum ManagedAttempt {
    /// Works on `path=` below a root directory, by `resolver=kernel` or `resolver=walking`.
    static func run(_ root: FilePath, _ options: WriterOptions) {
        let path = options["path"] ?? ""
        do throws(SandboxError) {
            let files = try ManagedFiles(
                root: root, declarations: [ManagedFileDeclaration(path)],
                resolver: options["resolver"].flatMap(RootResolver.Kind.init(rawValue:)).map { RootResolver($0) })
            tell("read") { () throws(SandboxError) in _ = try files.read(path) }
            tell("capture") { () throws(SandboxError) in _ = try files.capture(path) }
            tell("write") { () throws(SandboxError) in try files.write([1], to: path) }
            tell("remove") { () throws(SandboxError) in try files.remove(path) }
        } catch {
            StoreWriter.say("error \(error)")
        }
    }

    private static func tell(_ what: String, _ body: () throws(SandboxError) -> Void) {
        do throws(SandboxError) {
            try body()
            StoreWriter.say("\(what) done")
        } catch {
            StoreWriter.say("\(what) \(error.code)")
        }
    }
}
