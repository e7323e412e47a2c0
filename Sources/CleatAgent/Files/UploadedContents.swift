import CleatAPI
import CleatAdapters
import CleatHash
import CleatIO
import CleatJSON
import CleatOrder
import CleatSandbox
import CleatSettings

/// The contents of uploads for a change of settings.
package struct UploadedContents: Sendable {
    /// The contents, by their SHA-256 in hexadecimal digits.
    private var contents: DocumentContents = [:]
    /// The ids of the uploads, by the hashes of their contents.
    private var ids: [String: String] = [:]
    /// The problems of uploads.
    private var problems: [RefusedChange] = []

    /// Creates an empty collection.
    package init() {}

    /// True if no upload was named.
    var isEmpty: Bool { contents.isEmpty && problems.isEmpty }

    /// Adds the contents of an upload.
    mutating func add(_ bytes: [UInt8], of id: String) {
        let hash = SHA256.hexadecimal(of: bytes)
        contents[hash] = bytes
        ids[hash] = id
    }

    /// Records that an upload cannot be used.
    mutating func refuse(_ id: String, _ reason: String) {
        problems.append(RefusedChange(path: "uploads", value: .string(id), code: "upload", reason: reason))
    }

    /// Returns the contents that were uploaded for a change.
    ///
    /// - Throws: `APIError` if an upload cannot be used, or the change does not name its contents.
    func contents(for changes: ChangeSet) throws(APIError) -> DocumentContents {
        let named = Set(changes.changes.compactMap { $0.value?.stringValue }.compactMap(DocumentsAdapter.hash))
        var problems = problems
        for (hash, id) in ids.ordered(by: { $0.value < $1.value }) where !named.contains(hash) {
            problems.append(
                RefusedChange(
                    path: "uploads", value: .string(id), code: "upload",
                    reason: "holds sha256:\(hash), which no change names; name it below 'documents', or omit it"))
        }
        guard problems.isEmpty else { throw .invalidValue(problems) }
        return contents
    }
}

extension FileAreas {
    /// Reads the contents of uploads that are complete and not committed; the uploads stay.
    ///
    /// - Parameters:
    ///   - ids: Their ids.
    ///   - owner: The user who has sent them.
    /// - Returns: Their contents, and those that cannot be used: whether that matters depends on the change, which may
    ///   have been made already.
    /// - Throws: `APIError` if there are more than one change may include; `CancellationError`.
    func contents(of ids: [String], by owner: UInt32) async throws -> UploadedContents {
        guard ids.count <= APILimits.documents else {
            throw APIError.invalidValue([
                RefusedChange(
                    path: "uploads", code: "count",
                    reason: "are \(ids.count), and one change includes at most \(APILimits.documents); make several"
                )
            ])
        }
        var found = UploadedContents()
        var bytes: Int64 = 0
        var seen: Set<String> = []
        for id in ids {
            let shown = String(id.prefix(APILimits.idBytes))
            guard seen.insert(id).inserted else {
                found.refuse(shown, "is named twice; name it once")
                continue
            }
            let key = UploadKey(owner: owner, id: id)
            guard let (_, open, status) = uploading(key) else {
                found.refuse(shown, "is not an upload of yours, or was committed or cancelled; send the file again")
                continue
            }
            guard status.size <= APILimits.documentBytes else {
                found.refuse(
                    shown,
                    "holds \(status.size) bytes, and a file of a change has at most \(APILimits.documentBytes); upload it with "
                        + "'cleat file put'")
                continue
            }
            bytes += status.size
            guard bytes <= APILimits.documentsBytes else {
                found.refuse(
                    shown,
                    "makes it more than the \(APILimits.documentsBytes) bytes that one change includes; make several"
                )
                break
            }
            do {
                found.add(try await worker.run { try open.uploads.content(of: key) }, of: id)
            } catch let error as UploadError {
                found.refuse(shown, "cannot be used: \(error)")
            }
        }
        return found
    }
}
