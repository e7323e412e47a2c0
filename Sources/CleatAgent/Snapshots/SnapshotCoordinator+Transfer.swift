import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatSandbox
import CleatSettings
import CleatStore

extension SnapshotCoordinator {
    /// Exports a snapshot as a file, without secrets, piece by piece.
    ///
    /// - Parameters:
    ///   - name: The snapshot.
    ///   - send: Sends the next piece.
    /// - Returns: The last piece, and the names of what was omitted.
    /// - Throws: `APIError` if there is no such snapshot, or an object of it is damaged; or an error of `send`.
    func export(
        _ name: String, _ send: @escaping @Sendable (String) async throws -> Void
    ) async throws -> SnapshotsInterface.Export.Reply {
        do {
            let content = try await store.snapshotContent(name)
            let secret = applier.adapters.holdingSecrets(settings)
            let documents = try await hiddenDocuments(of: content)
            // If the contents of a document are omitted, another board would refuse the setting that names them.
            let naming = Set(documents.compactMap { Resource(text: $0).flatMap(DocumentsAdapter.setting) })
            var omitted: [String] = []
            var writer = SnapshotFileWriter(send: send)
            try await writer.add(SnapshotFile.header(content.snapshot))
            for setting in content.settings {
                let isLeftOut = hides(setting) || setting.value == nil || naming.contains(setting.path)
                if isLeftOut { omitted.append(setting.path) }
                try await writer.add(SnapshotFile.line(setting, isLeftOut: isLeftOut))
            }
            for item in content.resources {
                let isLeftOut =
                    item.isSecret || item.hash == nil || secret.contains(item.adapter)
                    || documents.contains(item.resource)
                if isLeftOut { omitted.append(item.resource) }
                let state = isLeftOut ? nil : try await store.states(of: [item], in: name)[0]
                try await writer.add(SnapshotFile.line(item, state))
            }
            return .init(text: try await writer.end(), omitted: Self.bounded(omitted))
        } catch {
            throw APIError.snapshotFailure(error)
        }
    }

    /// Returns the documents of a snapshot that not all users could read, even if an earlier release treated them as
    /// readable.
    private func hiddenDocuments(of content: SnapshotContent) async throws -> Set<String> {
        let items = content.resources.filter { item in
            if case .document = Resource(text: item.resource) { true } else { false }
        }
        var hidden: Set<String> = []
        for item in items {
            let state = item.isSecret ? nil : try await store.states(of: [item], in: content.snapshot.name)[0]
            guard let state, try !Memento(encoded: state).isHiddenFromOthers else {
                hidden.insert(item.resource)
                continue
            }
        }
        return hidden
    }

    /// Imports a snapshot that was read from a file.
    func importing(
        _ request: SnapshotRequest, as name: String?, author: Author
    ) async throws -> SnapshotsInterface.Import.Reply {
        var request = request
        if let name { request.name = name }
        request.importer = author.name
        let mementos = try request.resources.compactMap { try $0.state?.bytes.map { try Memento(encoded: $0) } }
        if let (name, right) = undeclaredRight(in: mementos, settings) {
            throw APIError.snapshots(
                SnapshotsError(
                    .invalidExport, name,
                    message:
                        "“\(name)” has \(right), which no import gives a file; nothing was imported, remove it from "
                        + "the file"))
        }
        for setting in request.settings ?? [] where holdsSettings(setting) {
            throw APIError.snapshots(
                SnapshotsError(
                    .invalidExport, setting.path,
                    message:
                        "“\(setting.path)” has settings below it, and an export names each by its own path; nothing was "
                        + "imported, export the snapshot again"))
        }
        do {
            guard let snapshot = try await store.createSnapshot(request).snapshot else {
                throw APIError.storeFailed(code: "damaged", message: "the import refers to an object that is missing")
            }
            return .init(snapshot: SnapshotInfo(snapshot))
        } catch {
            throw APIError.snapshotFailure(error)
        }
    }

    /// Returns true if the value is that of several settings: no board has stored it, and it could not be restored.
    private func holdsSettings(_ setting: SnapshotSetting) -> Bool {
        guard let path = try? SettingPath(setting.path), setting.json?.objectValue?.isEmpty == false else {
            return false
        }
        switch settings.schema.place(of: path) {
        case .group, .entry: return true
        default: return false
        }
    }

    /// Returns as many names as fit into a message.
    private static func bounded(_ names: [String]) -> [String]? {
        guard !names.isEmpty else { return nil }
        var kept: [String] = []
        var bytes = 0
        for name in names {
            bytes += name.utf8.count
            guard bytes < SnapshotFileWriter.pieceBytes else {
                kept.append("and \(names.count - kept.count) more")
                break
            }
            kept.append(name)
        }
        return kept
    }
}
