import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatSandbox
import CleatSettings
import CleatStore

/// Makes, shows, restores, exports and imports snapshots.
///
/// The callers of ``create(_:author:)`` and ``restore(_:_:author:cause:)`` hold the write lock.
struct SnapshotCoordinator: EnginePart {
    let live: LiveState
    let writer: SettingsWriter
    /// The states of files in the last snapshot.
    var captured = CapturedFiles()

    /// The comparison with the present state.
    var comparison: SnapshotComparison { SnapshotComparison(live: live) }

    /// Creates a snapshot of the confirmed settings, and of the state of the system.
    ///
    /// - Throws: `APIError`; then no snapshot was created.
    func create(
        _ parameters: SnapshotsInterface.Create.Parameters, author: Author
    ) async throws -> SnapshotsInterface.Create.Reply {
        try SettingsPlan.checkWords(id: nil, comment: parameters.comment)
        try requireNoTrial()
        do {
            var outcome = try await store.createSnapshot(request(parameters, author))
            if case .lacking(let missing) = outcome {
                // The snapshots that held the states of unchanged files were deleted, or are damaged.
                captured.forget(missing)
                outcome = try await store.createSnapshot(request(parameters, author))
            }
            guard let snapshot = outcome.snapshot else {
                throw APIError.storeFailed(
                    code: "damaged",
                    message: "the snapshot was not made, since the store lost an object meanwhile; try again")
            }
            captured.keep()
            return .init(snapshot: SnapshotInfo(snapshot))
        } catch let error as ResourceError {
            throw APIError.snapshots(
                SnapshotsError(
                    .refused, error.resource?.text ?? "", message: "\(error) The snapshot was not made."))
        } catch {
            throw APIError.snapshotFailure(error)
        }
    }

    /// Captures all resources that settings claim, or that adapters have touched.
    private func request(
        _ parameters: SnapshotsInterface.Create.Parameters, _ author: Author
    ) async throws -> SnapshotRequest {
        let managed = applier.adapters.managed(settings)
        let secret = applier.adapters.holdingSecrets(settings)
        let known = Set(managed.map(\.resource))
        // A resource that no setting claims any more, since its schema file is gone, may not even be readable.
        let left = try await resources.all().compactMap { resource, record in
            record.hasOrigin && !known.contains(resource) ? (resource: resource, adapter: record.adapter) : nil
        }
        let found = try await applier.look(at: left)
        let states = try await applier.worker.run { [captured, system = applier.system] in
            try captured.capture(managed, holdingSecrets: secret, on: system)
        }
        return SnapshotRequest(
            name: parameters.name, generation: reference,
            resources: states
                + left.map { resource, adapter in
                    SnapshotRequest.Resource(
                        resource: resource.text, adapter: adapter, isSecret: true,
                        state: found[resource].map { SnapshotRequest.State($0.encoded) })
                },
            author: author.name, comment: parameters.comment, stamp: stamp())
    }

    /// Lists the snapshots.
    func list() async throws -> SnapshotsInterface.List.Reply {
        do {
            let (all, bytes, limits) = try await store.snapshots()
            return .init(
                snapshots: all.map { SnapshotInfo($0) }, bytes: bytes, limit: limits.snapshots,
                limitBytes: limits.snapshotBytes)
        } catch {
            throw APIError.snapshotFailure(error)
        }
    }

    /// Returns one page of a snapshot; before the first one, all of it is read and compared with its hashes.
    func show(
        _ name: String, offset: Int, for author: Author
    ) async throws -> SnapshotsInterface.Show.Reply {
        do {
            let content = try await store.snapshotContent(name)
            if offset == 0 { try await store.checkStates(of: content.resources, in: name) }
            var reply = SnapshotsInterface.Show.Reply(
                snapshot: SnapshotInfo(content.snapshot), settings: [], resources: [])
            var items: [SnapshotItem] = []
            var bytes = 0
            var place = offset
            let count = content.settings.count + content.resources.count
            while place < count, place - offset < SettingsQueries.pageSize, bytes < Self.snapshotPageBytes {
                if place < content.settings.count {
                    let setting = content.settings[place]
                    reply.settings.append(
                        SnapshotSettingInfo(path: setting.path, value: hides(setting) ? nil : setting.json))
                    bytes += setting.path.utf8.count + (setting.value?.utf8.count ?? 0)
                } else {
                    let item = content.resources[place - content.settings.count]
                    items.append(item)
                    bytes += item.resource.utf8.count + item.adapter.utf8.count + 192
                }
                place += 1
            }
            let wanted = items.isEmpty ? [:] : try await wanted(by: name, author)
            // Only a few are in memory at a time.
            for start in stride(from: 0, to: items.count, by: SnapshotComparison.slice) {
                let slice = Array(items[start..<min(start + SnapshotComparison.slice, items.count)])
                reply.resources += try await described(slice, of: content, wanted, for: author)
            }
            reply.next = place < count ? place : nil
            return reply
        } catch {
            throw APIError.snapshotFailure(error)
        }
    }

    /// Returns true if a setting of a snapshot must not be shown.
    func hides(_ setting: SnapshotSetting) -> Bool {
        guard let path = try? SettingPath(setting.path) else { return true }
        return settings.schema.hides(path)
    }

    /// Deletes a snapshot; only privileged users may delete those of others.
    func delete(_ name: String, author: Author) async throws -> SnapshotsInterface.Delete.Reply {
        if !author.isPrivileged {
            let maker = try await list().snapshots.first { $0.name == name }.map { $0.importer ?? $0.author }
            guard maker == nil || maker == author.name else {
                throw APIError.permissionDenied(
                    message:
                        "\(author.name) may not delete the snapshot \(name), which \(maker ?? "") made: only they, root "
                        + "and the service's own user may")
            }
        }
        do {
            return .init(freed: try await store.deleteSnapshot(name))
        } catch {
            throw APIError.snapshotFailure(error)
        }
    }

    /// The approximate maximum size of a page in bytes, except for one value on top.
    private static let snapshotPageBytes = 256 * 1_024
}

extension SnapshotSetting {
    /// The value; nil if it was omitted, or this release cannot read it.
    var json: JSONValue? { value.flatMap { try? JSONReader.read($0) } }
}
