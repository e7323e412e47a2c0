import CleatAPI
import CleatIO
import CleatOrder
import SystemPackage

/// The files of one kind in the vendor's and the administrator's directory, by their names.
struct SourceFiles {
    /// The files of one name, the administrator's first.
    struct Candidates {
        /// The name.
        var name: String
        /// Their absolute paths.
        var paths: [String]
    }

    /// The files, in the order of the bytes of the names.
    private(set) var candidates: [Candidates] = []
    /// The reasons why directories or some of their files were not read.
    private(set) var problems: [(path: String, message: String)] = []

    /// Lists the directories; a missing one contains no files.
    init(_ kind: SourceKind, in directories: [FilePath], policy: TrustPolicy) {
        var found: [String: [String]] = [:]
        for directory in directories.reversed() {
            do {
                var names = try policy.names(
                    in: directory.string, suffix: kind.suffix, byteLimit: SourceLimits.directoryBytes,
                    kind: kind.words)
                names = names.ordered { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                if names.count > SourceLimits.files {
                    problems.append(
                        (
                            directory.string,
                            "holds \(names.count) files; those after the first \(SourceLimits.files) are skipped"
                        ))
                    names.removeLast(names.count - SourceLimits.files)
                }
                for name in names { found[name, default: []].append(directory.string + "/" + name) }
            } catch {
                if error.errno != .noSuchFileOrDirectory { problems.append((error.path, error.reason)) }
            }
        }
        candidates = found.map { Candidates(name: $0.key, paths: $0.value) }
        candidates = candidates.ordered { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
}
