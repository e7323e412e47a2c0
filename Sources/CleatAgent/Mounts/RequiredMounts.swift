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
    ///   - mounts: Reads the present mounts, if they count; nil if they cannot be read.
    ///   - table: The contents of `/etc/fstab`, see fstab(5); nil if there is none.
    /// - Returns: A clause that names what is not mounted; nil if all is.
    func obstacle(for state: FilePath, _ mounts: () -> MountTable?, table: String?) -> String? {
        switch self {
        case .none: return nil
        case .unknown: return "cleatd.json5, which names its file system, has an error, see “cleat doctor”"
        case .at(let named):
            guard let mounts = mounts(), !mounts.isMounted(at: Self.withoutLinks(named)) else { return nil }
            return "nothing is mounted at \(named), which “state.mountRequired” names"
        case .any:
            guard let mounts = mounts(), let root = mounts.mount(of: "/"), let own = mounts.mount(of: state),
                own.id == root.id
            else { return nil }
            return "nothing is mounted at \(state) or above it, and “state.mountRequired” requires that"
        case .ofTable:
            let points =
                Self.entries(of: table ?? "").map { ($0.point, "in /etc/fstab") }
                + Self.units(for: state).map { ($0.point, "that of \($0.unit)") }
            let needed = points.map { (name: $0, source: $1, point: Self.withoutLinks($0)) }.filter {
                state.starts(with: $0.point)
            }
            guard !needed.isEmpty, let mounts = mounts() else { return nil }
            return needed.first { !mounts.isMounted(at: $0.point) }.map {
                "nothing is mounted at \($0.name), which is \($0.source)"
            }
        }
    }

    /// Returns the directories at a path or above it that a unit of systemd mounts, and the names of the units.
    private static func units(for state: FilePath) -> [(point: FilePath, unit: String)] {
        var units: [(point: FilePath, unit: String)] = []
        var point = state
        while point.components.count > 0 {
            let unit = StorePlace.unit(of: point)
            let isThere = ["/etc/systemd/system/", "/usr/lib/systemd/system/"].contains { FileMoves.exists($0 + unit) }
            if isThere { units.append((point, unit)) }
            point.removeLastComponent()
        }
        return units
    }

    /// Returns the directories of a table that are mounted at a boot, without the root, and the options of each.
    static func entries(of table: String) -> [(point: FilePath, options: [Substring])] {
        table.split(separator: "\n").compactMap { line in
            let words = line.split { $0 == " " || $0 == "\t" }
            guard words.count >= 3, !words[0].hasPrefix("#"), words[1].hasPrefix("/"), words[1] != "/" else {
                return nil
            }
            let options = words.count > 3 ? words[3].split(separator: ",") : []
            let point = MountTable.unescaped(words[1])
            if options.contains("noauto") || point.utf8.contains(0) { return nil }
            return (FilePath(point).lexicallyNormalized(), options)
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
