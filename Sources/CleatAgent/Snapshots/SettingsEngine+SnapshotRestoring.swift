import CleatAPI
import CleatAdapters
import CleatSandbox
import CleatSettings
import CleatStore

extension SettingsEngine {
    /// Makes the committed settings those of a snapshot again, as a whole or not at all, and has the system follow them.
    ///
    /// What has come into the schema or under a lock since then is asked as for any change; settings that no
    /// schema knows any more stay as they are, and are named. With `files` the resources
    /// that are still wanted, and are not what they were then once the adapters are done, are brought back in the same
    /// transaction, whoever has changed them since; without it nothing is overwritten that was changed outside. Where no setting differs there is no generation to make, and they are brought back at once.
    ///
    /// - Returns: what became of it, and which resources are not what they were.
    /// - Throws: `APIError`, and then nothing has changed.
    func restoreSnapshot(
        _ request: SnapshotsInterface.Restore.Parameters, author: Author, cause: String?
    ) async throws -> SnapshotsInterface.Restore.Reply {
        try SettingsPlan.checkWords(id: request.id, comment: request.comment)
        try Self.checkWindow(request.confirm)
        let probes = try probes(request.until)
        let hash = SHA256.hexadecimal(
            of: "restore\n\(request.files == true ? "files" : "")\n\(request.name)".utf8)
        await takeTurn()
        defer { endTurn() }

        if let answer = try await formerAnswer(to: request.id, hash: hash) {
            return .init(change: answer.withoutOthers, differing: [])
        }
        if request.check != true { try requireNoTrial() }
        if let expected = request.expect { try check(expected) }
        do {
            let content = try await store.snapshotContent(request.name)
            return try await restore(content, request, probes, hash: hash, author: author, cause: cause)
        } catch let error as ResourceError {
            throw APIError.snapshots(
                SnapshotsError(.refused, error.resource?.text ?? "", message: "\(error) Nothing was changed."))
        } catch {
            throw Self.snapshotFailure(error)
        }
    }

    private func restore(
        _ content: SnapshotContent, _ request: SnapshotsInterface.Restore.Parameters, _ probes: [Probe], hash: String,
        author: Author, cause: String?
    ) async throws -> SnapshotsInterface.Restore.Reply {
        try await store.checkStates(of: content.resources, in: request.name)
        let (known, unknown) = withoutUnknown(settingDifferences(to: content, for: author))
        let changes = try SettingsPlan.changeSet(known.map { Change($0.path, $0.new) })
        let proposal = settings.propose(changes, rewritesSecrets: !author.isPrivileged)
        guard proposal.problems.isEmpty else { throw Self.refusal(proposal) }
        try requireRight(to: proposal, of: author)
        let signature = Signature(
            id: request.id ?? Self.makeID(), hash: hash, author: author,
            comment: request.comment ?? "restore of snapshot \(request.name)", cause: cause, probes: probes)
        // Whoever asks for the files means what the snapshot holds, whoever has changed that since.
        let adopted =
            request.files == true ? Set(content.resources.compactMap { Resource(text: $0.resource) }) : []
        let change = try await planned(proposal, adopting: adopted, contents: documents(of: content))
        let left = content.settings.count { $0.value == nil } + content.resources.count { $0.hash == nil }
        let kept = left > 0 ? left : nil
        if request.check == true {
            return .init(
                change: reply(.checked, to: signature, proposal).withoutOthers.naming(left: unknown), differing: [],
                kept: kept)
        }
        let files =
            request.files == true
            ? try await files(of: content, wantedBy: proposal.settings, touched: Set(change.resources)) : []
        var answer: SettingsInterface.Set.Reply
        if proposal.isEmpty, !files.isEmpty {
            guard Self.window(request.confirm, probes) == nil else {
                throw APIError.snapshots(
                    SnapshotsError(
                        .refused, request.name,
                        message: "no setting differs from the snapshot, so there is nothing that could be on trial; "
                            + "leave out --confirm and --until"))
            }
            answer = reply(.unchanged, to: signature, proposal)
            answer.results = try await bringAtOnce(files)
        } else {
            answer = try await make(
                proposal, signature, window: Self.window(request.confirm, probes), change, bringing: files)
        }
        let differing = try await differingResources(content, for: author).filter { $0.kind == .changed }.map(
            \.resource)
        return .init(change: answer.withoutOthers.naming(left: unknown), differing: differing, kept: kept)
    }

    /// What the documents of a snapshot held: it brings them along where the history has let go of them.
    private func documents(of content: SnapshotContent) async throws -> DocumentContents {
        let items = content.resources.filter { item in
            if case .document = Resource(text: item.resource) { true } else { false }
        }
        var contents: DocumentContents = [:]
        for state in try await store.states(of: items, in: content.snapshot.name) {
            guard let state, let bytes = try Memento(encoded: state).document?.bytes else { continue }
            contents[SHA256.hexadecimal(of: bytes)] = bytes
        }
        return contents
    }

    /// What the resources were that adapters want with some settings, and that a change touches or that are not now what
    /// they were.
    private func files(
        of content: SnapshotContent, wantedBy settings: LayeredSettings, touched: Set<Resource>
    ) async throws -> [Memento] {
        let wanted = Set(follower.adapters.managed(settings).map(\.resource.text))
        let items = content.resources.filter { wanted.contains($0.resource) }
        var mementos: [Memento] = []
        for state in try await store.states(of: items, in: content.snapshot.name) {
            if let state { mementos.append(try Memento(encoded: state)) }
        }
        let present = try await follower.look(at: mementos.map { ($0.resource, $0.adapter) })
        return mementos.filter { memento in
            guard !memento.isNothing else { return false }
            return touched.contains(memento.resource)
                || present[memento.resource].map { !$0.isSame(as: memento) } ?? true
        }
    }

    /// Brings resources back where no setting changes; where one cannot be, all are as they were before.
    private func bringAtOnce(_ files: [Memento]) async throws -> [CleatAPI.AdapterResult] {
        let before = try await follower.capture(files.map { ($0.resource, $0.adapter) })
        let results = try await follower.bring(files, settings)
        guard let failure = results.last, failure.state == .failed else {
            try await store.remember(
                try await follower.fingerprints(of: SystemChange(), besides: files, settings))
            return results
        }
        let back = try await follower.restore(before, from: settings, to: settings, at: [])
        throw refusal(of: failure, results, back)
    }
}

extension SettingsInterface.Set.Reply {
    /// The reply without what is in force of other layers.
    fileprivate var withoutOthers: SettingsInterface.Set.Reply {
        var reply = self
        for index in reply.changes.indices { reply.changes[index].inForce = nil }
        return reply
    }
}
