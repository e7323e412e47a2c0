internal import CleatSandbox
internal import SystemPackage

extension SystemResources {
    /// The maximum number of bytes of a document in a change, and of a document that one may replace.
    package static let documentLimit = 1_000_000

    /// Reads a file of the area `documents`, or its absence.
    ///
    /// - Throws: the reason why it could not be read whole: it is not a regular file, or too large to be kept.
    func look(atDocument path: String, _ stage: ResourceError.Stage) throws(ResourceError) -> DocumentMemento {
        let (area, place) = try place(ofDocument: path, stage)
        let attributes: FileAttributes
        let bytes: [UInt8]
        do throws(SandboxError) {
            let reader = try area.reader(place)
            attributes = reader.attributes
            bytes = try reader.read(at: 0, upTo: Int(clamping: min(attributes.size, Int64(Self.documentLimit))) + 1)
        } catch {
            guard error.code == .notFound else { throw ResourceError(stage, .document(path), error) }
            return .absent(missingParents: UInt8(clamping: try missingParents(of: place, area, stage).count))
        }
        guard bytes.count <= Self.documentLimit else {
            throw ResourceError(stage, .document(path), reason: Self.tooLong(attributes.size))
        }
        return .file(bytes: bytes, permissions: attributes.permissions, owner: attributes.owner)
    }

    /// Writes the content of a document from the change; missing directories are created.
    ///
    /// - Parameters:
    ///   - hash: the SHA-256 of the content.
    ///   - path: the document's path in the area.
    ///   - form: the owner and mode; nil to keep the present ones, or for those of a new file.
    /// - Throws: the reason why it could not be written; the document is unchanged then.
    func write(content hash: String, toDocument path: String, as form: FileForm? = nil) throws(ResourceError) {
        guard let bytes = contents[hash] else {
            throw ResourceError(
                .apply, .document(path),
                reason: "what it shall hold (SHA-256 \(hash)) is not on the board any more; send it again with "
                    + "'cleat apply --file \(path)=FILE', or unset its setting")
        }
        let (area, place) = try place(ofDocument: path, .apply)
        try put(bytes, permissions: form?.permissions, owner: form?.owner, area, place, .apply)
    }

    /// Makes the present state of a document, or its absence, durable.
    func flush(document path: String) throws(ResourceError) {
        let (area, place) = try place(ofDocument: path, .restore)
        do throws(SandboxError) {
            try Self.tolerating([.notFound, .notDirectory]) { () throws(SandboxError) in try area.flush(place) }
        } catch {
            throw ResourceError(.restore, .document(path), error)
        }
    }

    /// Restores a document, or its absence; directories that were missing are removed if they are empty.
    func restore(_ memento: DocumentMemento, toDocument path: String) throws(ResourceError) {
        let (area, place) = try place(ofDocument: path, .restore)
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
                throw ResourceError(.restore, .document(path), error)
            }
        }
    }

    /// Returns the reason why a document cannot be written, as the end of a sentence with the remedy; nil if it can.
    func documentObstacle(_ path: String) -> String? {
        do throws(ResourceError) {
            let (area, place) = try place(ofDocument: path, .look)
            do throws(SandboxError) {
                let size = try area.reader(place).attributes.size
                return size <= Int64(Self.documentLimit)
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
    func documentRoomProblem(_ documents: [(path: String, hash: String)]) -> String? {
        guard let area = self.documents else { return nil }
        var (present, peak): (Int64, Int64) = (0, 0)
        var made: Set<SandboxPath> = []
        for document in documents {
            guard let size = contents[document.hash]?.count, let place = try? SandboxPath(document.path) else {
                continue
            }
            peak = max(peak, present + Int64(size))
            present += Int64(size)
            if let old = try? area.attributes(of: place) {
                present -= old.size
            } else {
                made.insert(place)
                if let missing = try? missingParents(of: place, area, .look) { made.formUnion(missing) }
            }
        }
        do throws(SandboxError) {
            try area.root.account.promise(bytes: peak, files: Int64(made.count)).release()
            let space = try area.root.space().available
            return space >= peak
                ? nil : "needs \(peak) bytes, and the file system of the area has \(space) left; free space"
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
                promise: stage == .restore ? area.root.account.claim(bytes: Int64(bytes.count), files: 1) : nil)
            try writer.write(bytes)
            try writer.commit()
        } catch {
            throw ResourceError(stage, .document(place.text), error)
        }
    }

    private func place(
        ofDocument path: String, _ stage: ResourceError.Stage
    ) throws(ResourceError) -> (SandboxedDirectory, SandboxPath) {
        guard let documents else {
            throw ResourceError(
                stage, .document(path), reason: "the area documents could not be opened; see 'cleat status'")
        }
        do throws(SandboxError) {
            return (documents, try SandboxPath(path))
        } catch {
            throw ResourceError(stage, .document(path), error)
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
            throw ResourceError(stage, .document(place.text), error)
        }
        return missing
    }

    private static func tooLong(_ size: Int64) -> String {
        "it holds \(size) bytes, and at most \(documentLimit) could be brought back; move it away first with "
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

extension Resource {
    /// The path in the heading of a difference.
    var diffPath: String {
        if case .document(let path) = self { "/documents/" + path } else { path ?? "" }
    }
}
