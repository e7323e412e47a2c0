import CleatAPI
import CleatAdapters
import CleatHash
import CleatIO
import CleatJSON
import CleatOrder
import CleatSettings
import CleatStore

extension DriftResolver {
    /// Adopts outside edits: as a change of settings if they can be expressed as one.
    ///
    /// - Parameters:
    ///   - request: The resources, and the flag that leaves the others as they are.
    ///   - terms: The confirm window and the probes of a trial; nil to do it at once.
    ///   - author: The caller.
    ///   - cause: The hooks that caused it.
    /// - Returns: The changes, and the resources that are left as they are.
    /// - Throws: `APIError` with all that cannot be adopted; then nothing has changed.
    func adopt(
        _ request: SystemInterface.Adopt.Parameters, _ terms: TrialTerms?, author: Author, cause: String?
    ) async throws -> SystemInterface.Adopt.Reply {
        let asIs = request.asIs ?? false
        let isTrial = terms != nil
        let hash = SettingsPlan.adoptHash(request.names)
        if let former = try await writer.formerAnswer(to: request.id, hash: hash) {
            return await reply(former, unchanged: [])
        }
        try requireNoTrial()
        let foreign = try await foreign(request.names ?? [])
        let chosen =
            try await chosen(request.names.map { $0.filter { name in !foreign.contains { $0.name == name } } })
            + foreign
        var changes: [SettingPath: (value: JSONValue, name: String)] = [:]
        var unchanged: [Drift] = []
        var problems: [SettingProblem] = []
        func refuse(_ drift: Drift, _ reason: String) {
            guard let path = drift.setting ?? (try? SettingPath("system")) else { return }
            problems.append(SettingProblem(path: path, value: nil, code: .system, reason: reason))
        }
        for drift in chosen {
            if case .differs(let differences) = drift.kind {
                for difference in differences {
                    switch (difference.adoption, difference.setting) {
                    case (.value(let value), let setting?): changes[setting] = (value, drift.name)
                    case (.value, nil): refuse(drift, "cannot adopt \(drift.name): no setting has that name")
                    case (.impossible(let reason), _):
                        refuse(
                            drift,
                            "cannot adopt \(drift.name): the interface \(reason)"
                                + (foreign.contains(drift) ? "" : ". Discard the edit: cleat reapply \(drift.name)"))
                    }
                }
                continue
            }
            if let setting = drift.setting, let value = await adoptedValue(drift) {
                if let other = changes[setting], other.value != value {
                    refuse(
                        drift,
                        "would be \(other.value) by \(other.name), but \(value) by \(drift.name); name the one to adopt"
                    )
                }
                // If only the form differs (the mode, white space), the setting stays as it is.
                if settings.value(at: setting)?.value == value { unchanged.append(drift) }
                changes[setting] = (value, drift.name)
            } else if drift.canStay, asIs || drift.state == .released {
                unchanged.append(drift)
            } else {
                refuse(
                    drift,
                    "cannot adopt \(drift.name), which \(drift.words)"
                        + (drift.canStay
                            ? ": its content is not the value of one setting. Keep it until its settings change: "
                                + "cleat adopt --as-is \(drift.name). Discard it: cleat reapply \(drift.name)"
                            : ". \(drift.remedy)"))
            }
        }
        if isTrial {
            for drift in unchanged {
                refuse(
                    drift, "cannot be on trial: \(drift.name) would only be kept as it is; adopt it without --confirm")
            }
        }
        guard problems.isEmpty else { throw APIError(refusing: problems) }

        var answer: SettingsInterface.Set.Reply?
        if !changes.isEmpty {
            let plan = try SettingsPlan(
                .init(
                    changes: changes.ordered { $0.key < $1.key }.map { .init(path: $0.key.text, value: $0.value.value) }
                )
            )
            let (set, faults) = try plan.changes(on: settings)
            let proposal = settings.propose(set, to: plan.layer, besides: faults)
            guard proposal.problems.isEmpty else { throw APIError(refusing: proposal) }
            try writer.requireRight(to: proposal, of: author)
            let signature = Signature(
                id: request.id ?? RandomID.make(), hash: isTrial ? hash : plan.hash, author: author,
                comment: request.comment ?? Self.comment("adopted", changes.values.map(\.name)), cause: cause,
                probes: terms?.probes ?? [])
            var contents: DocumentContents = [:]
            for case .document(let path) in chosen.map(\.resource) {
                guard let bytes = try await applier.content(of: .document(path)) else { continue }
                contents[SHA256.hexadecimal(of: bytes)] = bytes
            }
            answer = try await writer.make(
                proposal, signature, window: terms?.window,
                writer.planned(
                    proposal, adopting: Set(chosen.map(\.resource)), contents: contents, for: author))
        }
        try await leave(unchanged)
        await reconciler.inspect()
        return await reply(answer, unchanged: unchanged)
    }

    private func reply(_ answer: SettingsInterface.Set.Reply?, unchanged: [Drift]) async -> SystemInterface.Adopt.Reply
    {
        // Without a trial the changes are the whole reply.
        let isReported = answer.map { $0.state != .confirmed && $0.state != .unchanged } ?? false
        return SystemInterface.Adopt.Reply(
            store: reference.store, generation: answer?.generation ?? reference.generation,
            changes: (answer?.changes ?? []).map { ChangeRecord(path: $0.path, old: $0.old, new: $0.new) },
            unchanged: unchanged.map(\.name), results: answer?.results ?? [],
            drift: await described(reconciler.status.drift),
            id: isReported ? answer?.id : nil, state: isReported ? answer?.state : nil, window: answer?.window,
            probes: answer?.probes)
    }

    /// Returns the configurations of interfaces by other programs, as far as they are named.
    private func foreign(_ names: [String]) async throws -> [Drift] {
        var found: [Drift] = []
        let interfaces = Set(names.prefix(APILimits.changes)).compactMap { Resource(text: $0) }.filter(\.isInterface)
        if !interfaces.isEmpty { await reconciler.followServices() }
        for case .interface(let interface) in interfaces.sorted() {
            let (adapters, system) = (applier.adapters, applier.system)
            if let drift = try await applier.worker.run({ try adapters.foreign(interface, on: system) }) {
                found.append(drift)
            }
        }
        return found
    }

    /// Returns the drift of the named resources; all of it if `names` is nil.
    func chosen(_ names: [String]?) async throws -> [Drift] {
        await reconciler.inspect()
        guard let names else { return reconciler.status.drift }
        guard names.count <= APILimits.changes else {
            throw APIError.tooManyChanges(
                limit: APILimits.changes,
                message: "\(names.count) names are more than the \(APILimits.changes) of one call")
        }
        let all = Set(reconciler.status.drift.map(\.name))
        let unknown = names.filter { !all.contains($0) }
        guard unknown.isEmpty else {
            throw APIError.invalidValue(
                unknown.prefix(16).map {
                    RefusedChange(
                        path: String($0.prefix(256)), code: "name",
                        reason: "was not edited outside Cleat; 'cleat drift' lists the edits")
                })
        }
        let wanted = Set(names)
        return reconciler.status.drift.filter { wanted.contains($0.name) }
    }

    /// Records the present state of edited resources as written, and forgets resources that no setting claims.
    private func leave(_ drifts: [Drift]) async throws {
        if !drifts.isEmpty { try await requireChangeable() }
        var prints: [StoredFingerprint] = []
        var forgotten: [String] = []
        for drift in drifts {
            if case .released = drift.kind {
                forgotten.append(drift.resource.text)
                continue
            }
            guard case .changed(let now) = drift.kind,
                let wanted = applier.wanted(drift.resource, settings)
            else { continue }
            prints.append(
                StoredFingerprint(
                    resource: drift.resource.text, adapter: drift.adapter, wanted: wanted.state.fingerprint, found: now)
            )
        }
        try await resources.remember(prints, forgetting: forgotten)
    }

    /// Returns the value of a resource as its setting would have it; nil if it cannot be derived, or not all users may
    /// read it: the reply is visible to all members of group `cleat`, and the value would be written to a file that all
    /// users may read.
    private func adoptedValue(_ drift: Drift) async -> JSONValue? {
        guard case .changed = drift.kind, let wanted = applier.wanted(drift.resource, settings),
            (try? await applier.isPublic(drift.resource)) == true,
            let content = (try? await applier.content(of: drift.resource)).flatMap({ $0 }),
            let text = applier.adapters.adapters.first(where: { $0.name == drift.adapter })?.adopted(wanted, content)
        else { return nil }
        switch settings.value(at: wanted.path)?.value {
        case .bool where text == "0" || text == "1": return .bool(text == "1")
        case let value? where value.integerValue != nil: return Int64(text).map { .integer($0) } ?? .string(text)
        default: return .string(text)
        }
    }

    func described(_ drifts: [Drift]) async -> [DriftInfo] {
        var infos: [DriftInfo] = []
        for drift in drifts.prefix(SettingsQueries.pageSize) {
            if case .differs(let differences) = drift.kind {
                infos.append(drift.info(differences))
                continue
            }
            let value = await adoptedValue(drift)
            infos.append(
                DriftInfo(
                    name: drift.name, state: drift.state, adapter: drift.adapter, setting: drift.setting?.text,
                    value: value, message: sentence(of: drift, value), remedy: drift.remedy))
        }
        return infos
    }

    /// Describes the drift as a sentence: with both values, if the resource holds one that all users may see.
    private func sentence(of drift: Drift, _ value: JSONValue?) -> String {
        guard let value, let setting = drift.setting, !settings.schema.hides(setting),
            let present = settings.value(at: setting), !present.isSecret, let wanted = present.value, wanted != value
        else { return drift.sentence }
        return "\(drift.resource) was edited: \(value) (\(setting) says \(wanted))"
    }
}
