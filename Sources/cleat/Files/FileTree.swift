import CleatAPI
import CleatSandbox

/// Fetches and sends directories with all their contents.
struct FileTree {
    let session: Session
    let progress: TransferProgress
    /// The closure that receives each transferred file, and each skipped one.
    let report: (FileTransferView) throws(CommandError) -> Void

    /// Returns the names of a path from the service, validated: a hostile service must not write outside a directory.
    static func names(of path: String) throws(CommandError) -> [String] {
        do throws(SandboxError) {
            return try SandboxPath(path).names
        } catch {
            throw CommandError(
                status: .failure, layer: .speak, code: "Reply",
                message: "the service sent a file name that is not a valid path",
                details: [error.description], remedy: "nothing is written there; see what runs on the board")
        }
    }

    // MARK: Fetching

    /// Fetches a directory into an existing local one.
    func fetch(_ target: FileTarget, into root: LocalDirectory) throws(CommandError) {
        let prefix = try target.path.isEmpty ? [] : Self.names(of: target.path)
        let get = FileGet(session: session, progress: progress)
        try session.entries(in: target, recursive: true) { (page) throws(CommandError) in
            for entry in page.entries {
                let names = try Self.names(of: entry.path)
                guard names.starts(with: prefix), names.count > prefix.count, let last = names.last else {
                    throw CommandError(
                        status: .failure, layer: .speak, code: "Reply",
                        message: "the service lists \(entry.path), which is not in \(target)",
                        remedy: "nothing is written there; see what runs on the board")
                }
                var directory = root
                for name in names[prefix.count..<(names.count - 1)] {
                    directory = try directory.directory(name, isMade: true)
                }
                let place = FileTarget(area: target.area, path: entry.path)
                switch entry.type {
                case .directory: _ = try directory.directory(last, isMade: true)
                case .file:
                    let sink = try directory.sink(last, mode: entry.mode)
                    let item = try get.fetch(place, into: sink, named: directory.shown(last))
                    try report(.init(way: .get, items: [item]))
                case .link: try skip(place.description, .get, "a symbolic link, which is not followed")
                case .other: try skip(place.description, .get, "neither a file nor a directory")
                }
            }
            if let skipped = page.skipped, skipped > 0 {
                try skip(target.description, .get, "\(skipped) names in it are not valid paths")
            }
        }
    }

    // MARK: Sending

    /// Sends a local directory; the one on the board is created if it is missing.
    func send(_ directory: LocalDirectory, to target: FileTarget, depth: Int = 0) throws(CommandError) {
        // Paths on the board have no more levels, and each level keeps a directory open.
        guard depth <= SandboxPath.namesLimit else {
            throw .local(
                "\(directory.name) is nested too deeply", remedy: "a path has at most \(SandboxPath.namesLimit) names")
        }
        if !target.path.isEmpty {
            _ = try session.call(
                FilesInterface.MakeDirectory.self, .init(area: target.area, path: target.path, parents: true))
        }
        let put = FilePut(session: session, progress: progress)
        for entry in try directory.entries() {
            guard let name = entry.name.text else {
                let shown = directory.shown(String(decoding: entry.name.bytes, as: UTF8.self))
                try skip(shown, .put, "a name that is not UTF-8")
                continue
            }
            let place = target.appending(name)
            switch entry.attributes.type {
            case .directory:
                try send(try directory.directory(name, isMade: false), to: place, depth: depth + 1)
            case .regular:
                let source = try directory.source(name)
                try report(.init(way: .put, items: [try put.send(source, to: place, mode: source.mode)]))
            case .symbolicLink: try skip(directory.shown(name), .put, "a symbolic link, which is not followed")
            default: try skip(directory.shown(name), .put, "neither a file nor a directory")
            }
        }
    }

    private func skip(_ name: String, _ way: FileTransferView.Way, _ reason: String) throws(CommandError) {
        progress.clear()
        try report(.init(way: way, skipped: [.init(name: name, reason: reason)]))
    }
}
