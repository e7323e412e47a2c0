import CleatAPI
import CleatIO
import CleatJSON
import CleatSandbox
import CleatSettings

/// Sends the files that are included in a change of settings, and removes the uploads once the change is made or
/// refused.
final class DocumentUploads {
    /// One file.
    private struct Item {
        let path: SettingPath
        let source: LocalSource
        let hash: String
    }

    private var items: [Item] = []
    /// The ids of the started uploads, by the hash of their content.
    private var sent: [String: String] = [:]
    private let progress: TransferProgress?

    /// Creates an empty set of files.
    init() { progress = nil }

    /// Opens the files and hashes them.
    ///
    /// - Throws: a ``CommandError`` for a file that cannot be read, or if there are too many or too large files.
    init(_ files: [DocumentFile], _ session: Session, _ console: Console) throws(CommandError) {
        let progress = TransferProgress(console)
        self.progress = progress
        defer { progress.clear() }
        var bytes: Int64 = 0
        for file in files {
            guard let path = file.setting else { continue }
            let source = try LocalSource(path: file.local, upTo: APILimits.documentBytes)
            guard source.size <= APILimits.documentBytes else {
                throw .local(
                    "\(file.local) is too large: a file that is included in a change has at most "
                        + "\(APILimits.documentBytes) bytes", remedy: "send it with `cleat file put`")
            }
            bytes += source.size
            items.append(
                Item(path: path, source: source, hash: try FilePut(session: session, progress: progress).hash(source)))
        }
        guard items.count <= APILimits.documents, bytes <= APILimits.documentsBytes else {
            throw .local(
                "\(items.count) files with \(bytes) bytes are more than one change may include: "
                    + "\(APILimits.documents) with \(APILimits.documentsBytes) bytes", remedy: "make several changes")
        }
    }

    /// The settings that name the content of the files.
    var leaves: [SettingsDocument.Leaf] {
        items.map { SettingsDocument.Leaf(path: $0.path, value: .string("sha256:\($0.hash)")) }
    }

    /// Sends the files that changes refer to; a file that was sent before is not sent again.
    ///
    /// - Returns: the ids of the uploads.
    /// - Throws: the reason why a file could not be sent.
    func send(for changes: [RequestedChange], _ session: Session) throws(CommandError) -> [String] {
        guard let progress else { return [] }
        defer { progress.clear() }
        let named = Set(changes.map(\.path))
        var ids: [String] = []
        for item in items where named.contains(item.path.text) {
            if let id = sent[item.hash] {
                if !ids.contains(id) { ids.append(id) }
                continue
            }
            let id = "apply-\(item.hash.prefix(24))-\(RandomID.make())"
            sent[item.hash] = id
            // The upload is not visible in the area documents before the change is made.
            let target = FileTarget(area: "temporary", path: id)
            _ = try FilePut(session: session, progress: progress)
                .upload(item.source, to: target, sha256: item.hash, as: id)
            ids.append(id)
        }
        return ids
    }

    /// Removes the uploads: the store keeps the content that the change has put in place.
    ///
    /// An upload that cannot be removed because the connection is lost expires after a day.
    func giveUp(_ session: Session) {
        for id in sent.values { _ = try? session.call(FilesInterface.Abort.self, .init(id: id)) }
        sent = [:]
    }
}

extension SettingsDocument {
    /// Returns the text with the settings for the included files.
    ///
    /// - Throws: an error if the text has another content for one of them.
    func adding(_ documents: DocumentUploads, from source: TextFile) throws(CommandError) -> SettingsDocument {
        var more: [Leaf] = []
        for leaf in documents.leaves {
            guard let same = leaves.first(where: { $0.path == leaf.path }) else {
                more.append(leaf)
                continue
            }
            guard same.value != leaf.value else { continue }
            throw source.refusal(
                Problem(
                    position: position(ofKey: leaf.path),
                    message:
                        "\(leaf.path) names another content than the file of --file; omit one of the two"))
        }
        return adding(more)
    }
}
