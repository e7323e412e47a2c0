import CleatIO
package import SystemPackage

/// The file systems that must be mounted before the store is opened or made: otherwise it would be made in the empty
/// directory below, and hidden by the mount later.
package enum RequiredMounts: Sendable, Equatable {
    /// Those that `/etc/fstab` mounts at the state directory or above it.
    case ofTable
    /// None.
    case none
    /// Any but the root file system.
    case any
    /// One at this directory.
    case at(FilePath)

    /// Finds the reason why the store must wait.
    ///
    /// - Parameters:
    ///   - state: The state directory, without symbolic links.
    ///   - mounts: The present mounts.
    ///   - table: The contents of `/etc/fstab`, see fstab(5); nil if there is none.
    /// - Returns: A clause that names what is not mounted; nil if all is.
    func obstacle(for state: FilePath, _ mounts: MountTable, table: String?) -> String? {
        switch self {
        case .none: return nil
        case .at(let point):
            return mounts.isMounted(at: point)
                ? nil : "nothing is mounted at \(point), which “state.mountRequired” names"
        case .any:
            guard let root = mounts.mount(of: "/"), let own = mounts.mount(of: state) else { return nil }
            return own.device == root.device
                ? "\(state) is on the root file system, and “state.mountRequired” requires another one" : nil
        case .ofTable:
            let missing = Self.entries(of: table ?? "").first {
                state.starts(with: $0.point) && !mounts.isMounted(at: $0.point)
            }
            return missing.map { "nothing is mounted at \($0.point), which is in /etc/fstab" }
        }
    }

    /// Returns the directories of a table that are mounted at a boot, without the root, and the options of each.
    static func entries(of table: String) -> [(point: FilePath, options: [Substring])] {
        table.split(separator: "\n").compactMap { line in
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count >= 3, !words[0].hasPrefix("#"), words[1].hasPrefix("/"), words[1] != "/" else {
                return nil
            }
            let options = words.count > 3 ? words[3].split(separator: ",") : []
            if options.contains("noauto") { return nil }
            return (FilePath(MountTable.unescaped(words[1])).lexicallyNormalized(), options)
        }
    }

    /// Returns a path without the symbolic links on it; those that lead nowhere are followed, too: the mount may bring
    /// what they lead to. `readlink(2)`
    static func withoutLinks(_ path: FilePath) -> FilePath {
        var links = 0
        var rest = Array(path.components.reversed())
        var resolved: FilePath = "/"
        while let component = rest.popLast() {
            if component.kind == .parentDirectory {
                resolved.removeLastComponent()
                continue
            }
            let next = resolved.appending(component)
            guard links < 40, let target = FileMoves.target(ofLink: next) else {
                resolved = next
                continue
            }
            links += 1
            if target.isAbsolute { resolved = "/" }
            rest += target.components.reversed()
        }
        return resolved
    }
}
