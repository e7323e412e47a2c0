import CleatIO
package import SystemPackage

/// The file systems that must be mounted before the store is opened or made: otherwise it would be made in the empty
/// directory below, and hidden by the mount later.
package enum RequiredMounts: Sendable, Equatable {
    /// Those that `/etc/fstab` or a unit of systemd mounts at the state directory or above it.
    case ofTable
    /// Unknown: the configuration names some, and has an error.
    case unknown
    /// None.
    case none
    /// Anything at the state directory or above it, besides the root.
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
        case .unknown: return "cleatd.json5, which names its file system, has an error, see “cleat doctor”"
        case .at(let named):
            let point = Self.withoutLinks(named)
            return mounts.isMounted(at: point)
                ? nil : "nothing is mounted at \(named), which “state.mountRequired” names"
        case .any:
            guard let root = mounts.mount(of: "/"), let own = mounts.mount(of: state) else { return nil }
            return own.id == root.id
                ? "nothing is mounted at \(state) or above it, and “state.mountRequired” requires that" : nil
        case .ofTable:
            let missing = Self.entries(of: table ?? "").first {
                let point = Self.withoutLinks($0.point)
                return state.starts(with: point) && !mounts.isMounted(at: point)
            }
            if let missing { return "nothing is mounted at \(missing.point), which is in /etc/fstab" }
            return unit(for: state, mounts).map { "nothing is mounted at \($0.point), which is that of \($0.unit)" }
        }
    }

    /// Returns the first directory at a path or above it that a unit mounts and where nothing is mounted.
    private func unit(for state: FilePath, _ mounts: MountTable) -> (point: FilePath, unit: String)? {
        var point = state
        while point.components.count > 0 {
            let unit = StorePlace.unit(of: point)
            let isThere = ["/etc/systemd/system/", "/usr/lib/systemd/system/"].contains { FileMoves.exists($0 + unit) }
            if isThere, !mounts.isMounted(at: point) { return (point, unit) }
            point.removeLastComponent()
        }
        return nil
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
            if component.kind == .currentDirectory { continue }
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
