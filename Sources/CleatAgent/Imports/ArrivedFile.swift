import CleatHash
import CleatSandbox

/// A file of the inbox as it was read: its contents, its owner, and the data that distinguishes it from a later one.
struct ArrivedFile: Sendable {
    /// The path of the file in the inbox.
    let path: SandboxPath
    /// The contents; nil if they are larger than settings may be.
    let bytes: [UInt8]?
    private let attributes: FileAttributes
    /// The id of the change that it requested before; nil if it is new.
    private var formerID: String?

    /// Reads a file.
    ///
    /// - Throws: `notFound` if the file was removed, or the reason why it cannot be read.
    init(_ path: SandboxPath, in directory: SandboxedDirectory, limit: Int) throws(SandboxError) {
        let reader = try directory.reader(path)
        self.path = path
        attributes = reader.attributes
        var read: [UInt8] = []
        while read.count <= limit {
            let more = try reader.read(at: Int64(read.count), upTo: min(1 << 16, limit + 1 - read.count))
            if more.isEmpty { break }
            read += more
        }
        bytes = read.count > limit ? nil : read
    }

    /// The uid of the file's owner.
    var owner: UInt32 { attributes.owner.user }

    /// The data that identifies the file, without its contents.
    struct Mark: Sendable {
        fileprivate let identity: FileIdentity
        fileprivate let modified: FileTime
        fileprivate let hash: String
        fileprivate let changeID: String
    }

    /// The mark of this file.
    var mark: Mark {
        Mark(
            identity: attributes.identity, modified: attributes.modified, hash: SHA256.hexadecimal(of: bytes ?? []),
            changeID: changeID)
    }

    /// Reuses the former change id if this is the same file, whose owner, mode or name may have changed.
    mutating func continueAs(_ former: Mark) {
        let now = mark
        if now.identity == former.identity, now.modified == former.modified, now.hash == former.hash {
            formerID = former.changeID
        }
    }

    /// The id of the change that it requests: the same as long as the file stays, another one if it arrives again.
    var changeID: String {
        if let formerID { return formerID }
        let identity = attributes.identity
        let time = attributes.changed
        let mark = "\(identity.device) \(identity.inode) \(time.seconds).\(time.nanoseconds)\n"
        return "inbox-\(SHA256.hexadecimal(of: Array(mark.utf8) + (bytes ?? [])).prefix(40))"
    }

    /// Returns true if the same file is still there.
    func isThere(in directory: SandboxedDirectory) throws(SandboxError) -> Bool {
        do throws(SandboxError) {
            let now = try directory.attributes(of: path)
            return now.identity == attributes.identity && now.changed == attributes.changed
        } catch {
            if error.code == .notFound { return false }
            throw error
        }
    }
}
