import CleatAPI
import CleatAdapters
import CleatHash
import CleatIO
import CleatJSON
import CleatSandbox
import CleatSettings
import CleatStore

extension SnapshotCoordinator {
    /// Restores the committed settings of a snapshot, as a whole or not at all, and applies them to the system.
    ///
    /// Schema rules and locks that have been added since then apply as for any change; settings that no schema knows
    /// any more stay as they are, and are named. With `files` the resources that the settings still claim, and that
    /// differ from the snapshot once the adapters are done, are restored in the same transaction, even if they were
    /// edited outside; without it no outside edit is overwritten. If no setting differs, the generation changes none,
    /// as with a reapply on trial.
    ///
    /// - Returns: The outcome, and the resources that differ from the snapshot.
    /// - Throws: `APIError`; then nothing has changed.
    func restore(
        _ request: SnapshotsInterface.Restore.Parameters, _ terms: TrialTerms, author: Author, cause: String?
    ) async throws -> SnapshotsInterface.Restore.Reply {
        let hash = SHA256.hexadecimal(
            of: "restore\n\(request.files == true ? "files" : "")\n\(request.name)".utf8)

        if let answer = try await writer.formerAnswer(to: request.id, hash: hash) {
            return .init(change: answer.withoutOthers, differing: [])
        }
        if request.check != true { try requireNoTrial() }
        if let expected = request.expect { try writer.check(expected) }
        do {
            let compared = try await comparison.compare(request.name, with: SnapshotSettings(settings, for: author))
            return try await restore(compared, request, terms, hash: hash, author: author, cause: cause)
        } catch let error as ResourceError {
            throw APIError.snapshots(
                SnapshotsError(.refused, error.resource?.text ?? "", message: "\(error) Nothing was changed."))
        } catch {
            throw APIError.snapshotFailure(error)
        }
    }

    private func restore(
        _ compared: SnapshotComparison.Compared, _ request: SnapshotsInterface.Restore.Parameters, _ terms: TrialTerms,
        hash: String, author: Author, cause: String?
    ) async throws -> SnapshotsInterface.Restore.Reply {
        let content = compared.content
        try await store.checkStates(of: content.resources, in: request.name)
        let (known, unknown) = live.state.separatingUnknown(compared.changes)
        let changes = try SettingsPlan.changeSet(known.map { Change($0.path, $0.new) })
        let proposal = try await applier.worker.run(about: changes.count) { [settings] in
            settings.propose(changes, rewritesSecrets: !author.isPrivileged)
        }
        guard proposal.problems.isEmpty else { throw APIError(refusing: proposal) }
        try writer.requireRight(to: proposal, of: author)
        let signature = Signature(
            id: request.id ?? RandomID.make(), hash: hash, author: author,
            comment: request.comment ?? "restore of snapshot \(request.name)", cause: cause, probes: terms.probes)
        // A caller that requests the files wants the contents of the snapshot, even if they were edited outside since.
        let adopted =
            request.files == true ? Set(content.resources.compactMap { Resource(text: $0.resource) }) : []
        let change = try await writer.planned(
            proposal, adopting: adopted, contents: documents(of: content), for: author)
        let left = compared.omitted + content.resources.count { $0.hash == nil }
        let kept = left > 0 ? left : nil
        let files =
            request.files == true
            ? try await files(of: content, wantedBy: proposal.settings, touched: Set(change.resources)) : []
        if !files.isEmpty { try requireRight(toRestore: files, of: content, proposal.settings, author) }
        if request.check == true {
            let names = Set(files.map(\.resource.text))
            let items = content.resources.filter { names.contains($0.resource) }
            return .init(
                change: writer.reply(.checked, to: signature, proposal).withoutOthers.naming(unchanged: unknown),
                differing: [],
                kept: kept,
                files: request.files == true
                    ? try await described(items, of: content, try await wanted(by: request.name, author), for: author)
                    : nil)
        }
        let answer = try await writer.make(
            proposal, signature, window: terms.window, change, restoring: files)
        // Interfaces keep their former addresses while they are on trial; that ends with the trial.
        let onTrial = Set(transaction?.plan.change.resources ?? [])
        let differing = try await comparison.differingResources(content, for: author).filter { found in
            guard found.kind == .changed else { return false }
            guard let resource = Resource(text: found.resource), case .interface = resource else { return true }
            return !onTrial.contains(resource)
        }.map(\.resource)
        return .init(change: answer.withoutOthers.naming(unchanged: unknown), differing: differing, kept: kept)
    }

    /// Returns the contents of a snapshot's documents: it has them even if the history has released them.
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

    /// Returns the mementos of the resources that the settings claim, and that a change touches or that now differ from
    /// the snapshot.
    private func files(
        of content: SnapshotContent, wantedBy settings: LayeredSettings, touched: Set<Resource>
    ) async throws -> [Memento] {
        let wanted = Set(applier.adapters.managed(settings).map(\.resource.text))
        let items = content.resources.filter { wanted.contains($0.resource) }
        var mementos: [Memento] = []
        for state in try await store.states(of: items, in: content.snapshot.name) {
            if let state { mementos.append(try Memento(encoded: state)) }
        }
        let present = try await applier.look(at: mementos.map { ($0.resource, $0.adapter) })
        return mementos.filter { memento in
            guard !memento.isNothing else { return false }
            return touched.contains(memento.resource)
                || present[memento.resource].map { !$0.isSame(as: memento) } ?? true
        }
    }

    /// Refuses to restore the files of an imported snapshot for users other than root and the service's user, and for
    /// all users if a file would get an owner or a mode that is not declared for it: only a hash that anyone can
    /// compute protects such a snapshot.
    ///
    /// - Throws: `APIError` with the first such file.
    private func requireRight(
        toRestore files: [Memento], of content: SnapshotContent, _ settings: LayeredSettings, _ author: Author
    ) throws(APIError) {
        guard let importer = content.snapshot.importer else { return }
        guard author.isPrivileged else {
            throw .permissionDenied(
                message:
                    "\(author.name) may not restore the files of “\(content.snapshot.name)”, which \(importer) imported: only "
                    + "root and the service's own user do that; omit --files")
        }
        guard let (name, right) = undeclaredRight(in: files, settings) else { return }
        throw .snapshots(
            SnapshotsError(
                .refused, name,
                message: "“\(name)” has \(right), which no import gives a file; nothing was changed, omit --files")
        )
    }

    /// Returns the first resource whose memento has an owner or a mode that neither its adapter nor its rule declares.
    func undeclaredRight(in mementos: [Memento], _ settings: LayeredSettings) -> (name: String, right: String)? {
        let wanted = applier.adapters.wanted(settings)
        let service = FileOwner(user: ProcessSelf.uid, group: ProcessSelf.gid)
        for memento in mementos {
            guard let state = wanted[memento.resource],
                let right = memento.undeclaredRight(besides: state, service: service)
            else { continue }
            return (memento.resource.text, right)
        }
        return nil
    }

    /// Returns what the settings of a snapshot say of each resource.
    func wanted(by name: String, _ author: Author) async throws(StoreError) -> [Resource: ResourceState] {
        let (adapters, comparing) = (applier.adapters, SnapshotSettings(settings, for: author))
        return try await store.snapshotContents([name]) { contents in
            adapters.wanted(comparing.settings.replacingStored(comparing.tree(of: contents[0])), isForeign: true)
        }
    }

    /// Describes resources of a snapshot, with the rights of files, and with their difference from what its settings say
    /// of them.
    ///
    /// For a resource with secrets the difference is reported only to users who may read them.
    func described(
        _ items: [SnapshotItem], of content: SnapshotContent, _ wanted: [Resource: ResourceState], for author: Author
    ) async throws -> [SnapshotResource] {
        let secret = applier.adapters.holdingSecrets(settings)
        var described: [SnapshotResource] = []
        for (item, state) in zip(items, try await store.states(of: items, in: content.snapshot.name)) {
            let isSecret = item.isSecret || secret.contains(item.adapter)
            var resource = SnapshotResource(item, isSecret: isSecret)
            if let state {
                let memento = try Memento(encoded: state)
                resource.owner = memento.rights.map { "\($0.owner.user):\($0.owner.group)" }
                resource.mode = memento.rights?.permissions.map { "0" + String($0, radix: 8) }
                if !isSecret || author.isPrivileged {
                    resource.differs = wanted[memento.resource].flatMap { memento.differs(from: $0) }
                }
            }
            described.append(resource)
        }
        return described
    }
}

extension SettingsInterface.Set.Reply {
    /// The reply without the values in force from other layers.
    fileprivate var withoutOthers: SettingsInterface.Set.Reply {
        var reply = self
        for index in reply.changes.indices { (reply.changes[index].inForce, reply.changes[index].before) = (nil, nil) }
        return reply
    }
}
