internal import CleatAPI
internal import CleatHash
internal import CleatSandbox
internal import SystemPackage

/// A file of the area `documents`, by its path in the area.
struct DocumentResource: ResourceKind {
    static let kind = "document"
    /// The maximum number of bytes of a document in a change, and of a document that one may replace.
    static let limit = 1_000_000

    let path: String

    static func resource(named name: String?) -> Resource? {
        guard let name, let place = try? SandboxPath(name), !place.isRoot else { return nil }
        return .document(name)
    }

    var resource: Resource { .document(path) }
    var name: String? { path }
    var diffPath: String { "/documents/" + path }
    var description: String { "documents/\(path)" }
    var isWholeFile: Bool { true }
    var isFileName: Bool { true }
    var isCheckedBelowRoot: Bool { true }

    func accepts(_ state: ResourceState) -> Bool { if case .content = state { true } else { false } }

    func accepts(_ content: Memento.Content) -> Bool { if case .document = content { true } else { false } }

    func differs(_ content: Memento.Content, from state: ResourceState) -> Bool? {
        guard case .content(let wanted) = state, case .document(let document) = content else { return nil }
        return document.bytes.map { SHA256.hexadecimal(of: $0) != wanted } ?? true
    }

    func capture(on system: SystemResources) throws(ResourceError) -> Memento.Content {
        .document(try look(.capture, system))
    }

    func apply(
        _ state: ResourceState, of step: ResourceChange, origin: Memento?, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard case .content(let hash) = state else { throw misfit(.apply) }
        try write(content: hash, as: step.resets ? FileForm(of: origin, or: .newDocument) : nil, on: system)
        return .written
    }

    func restore(
        _ content: Memento.Content, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard case .document(let document) = content else { throw misfit(.restore) }
        try restore(document, on: system)
        return .written
    }

    func fingerprinted(on system: SystemResources) throws(ResourceError) -> [UInt8]? {
        switch try look(.inspect, system) {
        case .file(let content, let permissions, let owner):
            Array("document \(owner.user) \(owner.group) \(permissions)\n".utf8) + content
        case .absent: SystemResources.absentBytes
        }
    }

    func holds(_ state: ResourceState, on system: SystemResources) throws(ResourceError) -> Bool {
        guard case .content(let hash) = state else { return false }
        return try look(.inspect, system).bytes.map { SHA256.hexadecimal(of: $0) == hash } ?? false
    }

    func content(on system: SystemResources) throws(ResourceError) -> [UInt8]? { try look(.inspect, system).bytes }

    func plan(
        _ planned: inout PlannedStep, from before: Memento, to goal: PlannedGoal, isSecret: Bool,
        on system: SystemResources
    ) throws(ResourceError) {
        planned.compareFiles(
            at: diffPath, FileLook(before), goal.look(system.contents), isSecret: isSecret, newPermissions: 0o640)
    }

    /// Reads a file of the area `documents`, or its absence.
    ///
    /// - Throws: the reason why it could not be read whole: it is not a regular file, or too large to be kept.
    private func look(
        _ stage: ResourceError.Stage, _ system: SystemResources
    ) throws(ResourceError) -> DocumentMemento {
        let (area, place) = try place(stage, system)
        let attributes: FileAttributes
        let bytes: [UInt8]
        do throws(SandboxError) {
            let reader = try area.reader(place)
            attributes = reader.attributes
            bytes = try reader.read(at: 0, upTo: Int(clamping: min(attributes.size, Int64(Self.limit))) + 1)
        } catch {
            guard error.code == .notFound else { throw ResourceError(stage, resource, error) }
            return .absent(missingParents: UInt8(clamping: try missingParents(of: place, area, stage).count))
        }
        guard bytes.count <= Self.limit else {
            throw ResourceError(stage, resource, reason: Self.tooLong(attributes.size))
        }
        return .file(bytes: bytes, permissions: attributes.permissions, owner: attributes.owner)
    }

    /// Writes the content of a document from the change; missing directories are created.
    ///
    /// - Parameters:
    ///   - hash: the SHA-256 of the content.
    ///   - form: the owner and mode; nil to keep the present ones, or for those of a new file.
    ///   - system: the system.
    /// - Throws: the reason why it could not be written; the document is unchanged then.
    private func write(content hash: String, as form: FileForm?, on system: SystemResources) throws(ResourceError) {
        guard let bytes = system.contents[hash] else {
            throw ResourceError(
                .apply, resource,
                reason: "its content (SHA-256 \(hash)) is not on the board any more; send it again with "
                    + "'cleat apply --file \(path)=FILE', or unset its setting")
        }
        let (area, place) = try place(.apply, system)
        try put(bytes, permissions: form?.permissions, owner: form?.owner, area, place, .apply)
    }

    /// Makes the present state of a document, or its absence, durable.
    func flush(on system: SystemResources) throws(ResourceError) {
        let (area, place) = try place(.restore, system)
        do throws(SandboxError) {
            try Self.tolerating([.notFound, .notDirectory]) { () throws(SandboxError) in try area.flush(place) }
        } catch {
            throw ResourceError(.restore, resource, error)
        }
    }

    /// Restores a document, or its absence; directories that were missing are removed if they are empty.
    private func restore(_ memento: DocumentMemento, on system: SystemResources) throws(ResourceError) {
        let (area, place) = try place(.restore, system)
        switch memento {
        case .file(let bytes, let permissions, let owner):
            try put(bytes, permissions: permissions, owner: owner, area, place, .restore)
        case .absent(let missing):
            do throws(SandboxError) {
                try Self.tolerating([.notFound, .notDirectory]) { () throws(SandboxError) in try area.delete(place) }
                var parent = place.parent
                for _ in 0..<missing where !parent.isRoot {
                    try Self.tolerating([.notFound, .notDirectory, .notEmpty]) { () throws(SandboxError) in
                        try area.removeDirectory(parent)
                    }
                    parent = parent.parent
                }
            } catch {
                throw ResourceError(.restore, resource, error)
            }
        }
    }

    /// Returns the reason why a document cannot be written, as the end of a sentence with the remedy; nil if it can.
    func missingRight(to step: ResourceChange, on system: SystemResources) -> String? {
        do throws(ResourceError) {
            let (area, place) = try place(.inspect, system)
            do throws(SandboxError) {
                let size = try area.reader(place).attributes.size
                return size <= Int64(Self.limit)
                    ? nil : "would replace documents/\(path), but \(Self.tooLong(size))"
            } catch {
                return error.code == .notFound ? nil : "cannot be put at documents/\(path): \(error.reason)"
            }
        } catch {
            return "cannot be put at documents/\(path): \(error.reason)"
        }
    }

    /// Returns the reason why the area lacks space for documents that are written one after the other; nil if it does
    /// not.
    static func spaceProblem(
        of documents: [(path: String, hash: String)], on system: SystemResources
    ) -> String? {
        guard let area = system.documents else { return nil }
        var (present, peak): (Int64, Int64) = (0, 0)
        var made: Set<SandboxPath> = []
        for document in documents {
            guard let size = system.contents[document.hash]?.count, let place = try? SandboxPath(document.path) else {
                continue
            }
            peak = max(peak, present + Int64(size))
            present += Int64(size)
            if let old = try? area.attributes(of: place) {
                present -= old.size
            } else {
                made.insert(place)
                if let missing = try? DocumentResource(path: document.path).missingParents(of: place, area, .inspect) {
                    made.formUnion(missing)
                }
            }
        }
        do throws(SandboxError) {
            try area.root.account.reserve(bytes: peak, files: Int64(made.count)).release()
            let space = try area.root.space().available
            return space >= peak
                ? nil : "needs \(peak) bytes, \(space) are free on the file system of the area; delete files"
        } catch {
            return error.reason
        }
    }

    private func put(
        _ bytes: [UInt8], permissions: UInt16?, owner: FileOwner?, _ area: SandboxedDirectory, _ place: SandboxPath,
        _ stage: ResourceError.Stage
    ) throws(ResourceError) {
        do throws(SandboxError) {
            try area.makeDirectory(place.parent, withParents: true)
            let writer = try area.writer(
                place, permissions: permissions.map { FilePermissions(rawValue: CModeT($0)) }, owner: owner,
                reservation: stage == .restore ? area.root.account.claim(bytes: Int64(bytes.count), files: 1) : nil)
            try writer.write(bytes)
            try writer.commit()
        } catch {
            throw ResourceError(stage, resource, error)
        }
    }

    private func place(
        _ stage: ResourceError.Stage, _ system: SystemResources
    ) throws(ResourceError) -> (SandboxedDirectory, SandboxPath) {
        guard let documents = system.documents else {
            throw ResourceError(
                stage, resource, reason: "the area documents could not be opened; see 'cleat status'")
        }
        do throws(SandboxError) {
            return (documents, try SandboxPath(path))
        } catch {
            throw ResourceError(stage, resource, error)
        }
    }

    /// Returns the directories above a document that do not exist.
    private func missingParents(
        of place: SandboxPath, _ area: SandboxedDirectory, _ stage: ResourceError.Stage
    ) throws(ResourceError) -> [SandboxPath] {
        var missing: [SandboxPath] = []
        var parent = place.parent
        do throws(SandboxError) {
            while !parent.isRoot, try !area.exists(parent) {
                missing.append(parent)
                parent = parent.parent
            }
        } catch {
            throw ResourceError(stage, resource, error)
        }
        return missing
    }

    private static func tooLong(_ size: Int64) -> String {
        "it holds \(size) bytes, and at most \(limit) could be restored; move it away first with "
            + "'cleat file mv'"
    }

    private static func tolerating(
        _ codes: Set<SandboxError.Code>, _ body: () throws(SandboxError) -> Void
    ) throws(SandboxError) {
        do throws(SandboxError) {
            try body()
        } catch {
            guard codes.contains(error.code) else { throw error }
        }
    }
}
