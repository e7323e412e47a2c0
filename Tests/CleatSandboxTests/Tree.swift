import CleatSandbox
import SystemPackage

/// The contents of a directory, as other programs see it.
struct Tree: Equatable, CustomStringConvertible {
    enum Node: Equatable {
        case directory
        case file([UInt8])
        case other
    }

    var nodes: [String: Node] = [:]

    init() {}

    /// Reads a directory; the facade's own files are left out where `reserved` is false.
    init(_ directory: String, reserved: Bool = false) throws {
        var open = [""]
        while let path = open.popLast() {
            for name in try SandboxListing.names(directory + "/" + path)
            where reserved || !name.hasPrefix(SandboxPath.reservedPrefix) {
                let path = path.isEmpty ? name : path + "/" + name
                switch try SandboxListing.kind(directory + "/" + path) {
                case .regular: nodes[path] = .file(try SandboxListing.bytes(directory + "/" + path))
                case .directory:
                    nodes[path] = .directory
                    open.append(path)
                default: nodes[path] = .other
                }
            }
        }
    }

    /// The tree without the facade's own files.
    var withoutReserved: Tree {
        var tree = self
        tree.nodes = nodes.filter { path, _ in
            !path.split(separator: "/").contains { $0.hasPrefix(SandboxPath.reservedPrefix) }
        }
        return tree
    }

    /// The usage that an account of it should have.
    var usage: AreaUsage {
        nodes.values.reduce(into: AreaUsage()) { usage, node in
            usage.files += 1
            if case .file(let bytes) = node { usage.bytes += Int64(bytes.count) }
        }
    }

    var description: String {
        nodes.sorted { $0.key < $1.key }.map { path, node in
            switch node {
            case .directory: "\(path)/"
            case .file(let bytes): "\(path) (\(bytes.count))"
            case .other: "\(path) ?"
            }
        }.joined(separator: ", ")
    }
}
