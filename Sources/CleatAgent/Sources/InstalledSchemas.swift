import CleatAPI
import CleatHash
import CleatIO
import CleatJSON
import CleatSandbox
import CleatSettings
import CleatTemplates
import SystemPackage

/// The schemas that are installed with Cleat (`/usr/share/cleat/schemas`), and the enabled ones among them: those with a
/// copy in the administrator's `schema.d`.
///
/// It is a copy and no link, so that an update of the package changes no settings by itself. A hidden file next to it
/// has the hash of the copy, which shows later if the copy was edited or the installed file was updated.
struct InstalledSchemas: Sendable {
    /// The maximum number of bytes of all names in the directory.
    private static let namesBytes = 64 << 10
    private static let suffix = ".json"
    private static let hashSuffix = ".sha256"

    /// The directory with the installed schemas.
    private let installed: String
    /// The administrator's directory of schemas.
    private let directory: FilePath
    private let root: FilePath?
    private let policy: TrustPolicy

    /// Creates the object; nothing is read.
    init(_ paths: AgentPaths, policy: TrustPolicy) {
        installed = paths.below("/usr/share/cleat/schemas").string
        directory = paths.config.appending(SourceKind.schema.directory)
        root = paths.root
        self.policy = policy
    }

    /// Lists the schemas in the order of their names; the description of one that is not trusted is the reason.
    func list() throws(APIError) -> [InstalledSchema] {
        try names().map { name in
            do throws(APIError) {
                let bytes = try contents(of: name)
                let schema = try? JSONReader.read(bytes, limits: SchemaText.limits)
                return InstalledSchema(
                    name: name, description: schema?["description"]?.stringValue ?? "", state: state(of: name, bytes))
            } catch {
                return InstalledSchema(name: name, description: "\(error)", state: .refused)
            }
        }
    }

    private func names() throws(APIError) -> [String] {
        do throws(TrustError) {
            let names = try policy.names(
                in: installed, suffix: Self.suffix, byteLimit: Self.namesBytes, kind: "schemas")
            return names.map { String($0.dropLast(Self.suffix.utf8.count)) }.sortedByBytes()
        } catch {
            if error.errno == .noSuchFileOrDirectory { return [] }
            throw Self.failure("", "the installed schemas could not be listed: \(error)")
        }
    }

    private func contents(of name: String) throws(APIError) -> [UInt8] {
        do throws(TrustError) {
            return try policy.contents(
                of: "\(installed)/\(name)\(Self.suffix)", limit: SourceLimits.fileBytes, for: .reading)
        } catch {
            throw Self.failure(name, "the schema \(name) could not be read: \(error)")
        }
    }

    private func state(of name: String, _ bytes: [UInt8]) -> InstalledSchema.State {
        guard FileMoves.exists(file(of: name)) else { return .disabled }
        guard let copy = try? policy.contents(of: file(of: name), limit: SourceLimits.fileBytes, for: .reading) else {
            return .changed
        }
        if copy == bytes { return .enabled }
        let hash = try? BoundedFile.read(directory.appending("." + name + Self.hashSuffix), limit: 128)
        return hash.map { $0 == Array(SHA256.hexadecimal(of: copy).utf8) } ?? false ? .outdated : .changed
    }

    /// Returns the path of a schema's copy.
    func file(of name: String) -> String { "\(directory)/\(name)\(Self.suffix)" }

    /// Enables a schema: copies it to the administrator's directory; an unedited copy of another version is replaced.
    ///
    /// - Returns: The former content of the copy, nil if there was none; or false if it is enabled already.
    /// - Throws: `APIError` if there is no such schema, its copy was edited, or it cannot be written.
    func enable(_ name: String) throws(APIError) -> (hasChanged: Bool, former: [UInt8]?) {
        let bytes = try known(name)
        let state = state(of: name, bytes)
        if state == .enabled { return (false, nil) }
        guard state != .changed else { throw edited(name) }
        let former = state == .outdated ? try? policy.contents(of: file(of: name), limit: SourceLimits.fileBytes) : nil
        try write(bytes, as: name)
        return (true, former)
    }

    /// Replaces a schema's copy, or removes it if there is no content.
    func write(_ bytes: [UInt8]?, as name: String) throws(APIError) {
        let (copy, hash) = (name + Self.suffix, "." + name + Self.hashSuffix)
        do {
            if let root, let link = FileMoves.link(below: root, on: directory) {
                throw FileError(description: "\(link) is a symbolic link, which could lead out of \(root)")
            }
            try FileMoves.makeDirectories(directory, mode: 0o755)
            _ = try policy.open(directory.string, for: .listing)
            let opened = try FileDescriptor.open(directory, .readOnly, options: [.directory, .noFollow, .closeOnExec])
            try opened.closeAfter {
                if let bytes {
                    try DurableFile.write(bytes, to: copy, in: opened, permissions: .readableByAll)
                    let digest = Array(SHA256.hexadecimal(of: bytes).utf8)
                    try DurableFile.write(digest, to: hash, in: opened, permissions: .readableByAll)
                } else {
                    let calls = SystemFileCalls()
                    try calls.remove(copy, in: opened)
                    try? calls.remove(hash, in: opened)
                    try calls.flushDirectory(opened)
                }
            }
        } catch {
            throw .storeFailed(
                code: "schema",
                message: "\(file(of: name)) could not be \(bytes == nil ? "removed" : "written"): \(error)")
        }
    }

    /// Disables a schema: removes its copy.
    ///
    /// - Parameters:
    ///   - name: The schema.
    ///   - settings: The present settings, none of which may be one of the schema.
    /// - Returns: false if it is disabled already.
    /// - Throws: `APIError` if there is no such schema, its copy was edited, or its settings are set.
    func disable(_ name: String, _ settings: LayeredSettings) throws(APIError) -> Bool {
        let bytes = try known(name)
        switch state(of: name, bytes) {
        case .disabled: return false
        case .changed, .refused: throw edited(name)
        case .enabled, .outdated: break
        }
        let copy = (try? policy.contents(of: file(of: name), limit: SourceLimits.fileBytes)) ?? bytes
        if let schema = try? SchemaText.read(copy, without: ApplyRules.keyword, file: name),
            let set = schema.firstSet(in: settings)
        {
            throw Self.failure(name, "\(set.path) is set, and the schema \(name) defines it; \(set.remedy)")
        }
        try write(nil, as: name)
        return true
    }

    /// Returns the content of an installed schema.
    private func known(_ name: String) throws(APIError) -> [UInt8] {
        let names = try names()
        // The name comes from a client, and is a part of a path.
        guard names.contains(name) else {
            let list = names.isEmpty ? "\(installed) has none" : "there are \(names.joined(separator: ", "))"
            throw Self.failure(name, "no schema of this name is installed; \(list)")
        }
        return try contents(of: name)
    }

    private func edited(_ name: String) -> APIError {
        Self.failure(
            name, "\(file(of: name)) was edited; unset its settings, remove it by hand, and then run cleat reload")
    }

    private static func failure(_ name: String, _ message: String) -> APIError {
        .schemaRefused(name: name, message: message)
    }
}

extension FilePermissions {
    /// `rw-r--r--`.
    fileprivate static let readableByAll: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]
}

extension ResolvedSetting {
    /// The command or the place by which the setting becomes unset.
    fileprivate var remedy: String {
        switch origin {
        case .volatile: "unset it first: cleat unset --volatile \(path)"
        case .committed: "unset it first: cleat unset \(path)"
        default: "remove it from its file of defaults first; see: cleat why \(path)"
        }
    }
}

extension Schema {
    /// Returns the first setting of this schema that a layer above the defaults sets; nil if there is none.
    fileprivate func firstSet(in settings: LayeredSettings) -> ResolvedSetting? {
        for entry in entries() {
            let fixed = entry.pattern.utf8.split(separator: UInt8(ascii: "{")).first.map { String(Substring($0)) } ?? ""
            let text = fixed.utf8.last == UInt8(ascii: "/") ? String(fixed.dropLast()) : fixed
            guard let path = try? SettingPath(text) else { continue }
            if let set = settings.list(under: path, defaults: false).first { return set }
        }
        return nil
    }
}
