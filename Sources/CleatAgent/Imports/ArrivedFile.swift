import CleatSandbox

/// A file of the inbox as it was read: what it holds, whose it is, and what tells it from one that comes after it.
struct ArrivedFile: Sendable {
    /// Where it lies in the inbox.
    let path: SandboxPath
    /// What it holds; nil where that is more than settings may take.
    let bytes: [UInt8]?
    private let attributes: FileAttributes
    /// The change that it asked for before; nil where it is new.
    private var formerID: String?

    /// Reads a file.
    ///
    /// - Throws: `notFound` where somebody has taken it, or why it cannot be read.
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

    /// Whose it is.
    var owner: UInt32 { attributes.owner.user }

    /// What tells the file again, without what it holds.
    struct Mark: Sendable {
        fileprivate let identity: FileIdentity
        fileprivate let modified: FileTime
        fileprivate let hash: String
        fileprivate let changeID: String
    }

    /// What tells this file again.
    var mark: Mark {
        Mark(
            identity: attributes.identity, modified: attributes.modified, hash: SHA256.hexadecimal(of: bytes ?? []),
            changeID: changeID)
    }

    /// Takes it for the file that was read before, where it is that one, but for its owner, its mode or its name.
    mutating func continueAs(_ former: Mark) {
        let now = mark
        if now.identity == former.identity, now.modified == former.modified, now.hash == former.hash {
            formerID = former.changeID
        }
    }

    /// The id of the change that it asks for: the same for as long as it lies there, another one when it comes again.
    var changeID: String {
        if let formerID { return formerID }
        let identity = attributes.identity
        let time = attributes.changed
        let mark = "\(identity.device) \(identity.inode) \(time.seconds).\(time.nanoseconds)\n"
        return "inbox-\(SHA256.hexadecimal(of: Array(mark.utf8) + (bytes ?? [])).prefix(40))"
    }

    /// Whether it is still the file that lies there.
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
