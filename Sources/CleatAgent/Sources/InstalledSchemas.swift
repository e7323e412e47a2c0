import CleatAPI
import CleatIO
import CleatJSON
import CleatSandbox
import CleatSettings
import SystemPackage

/// The schemas that are installed with Cleat (`/usr/share/cleat/schemas`), and the enabled ones among them: those with a
/// copy in the administrator's `schema.d`.
///
/// It is a copy and no link, so that an update of the package changes no board by itself.
struct InstalledSchemas: Sendable {
    /// The maximum number of bytes of all names in the directory.
    private static let namesBytes = 64 << 10
    private static let suffix = ".json"

    /// The directory with the installed schemas.
    private let installed: String
    /// The administrator's directory of schemas.
    private let directory: FilePath
    private let policy: TrustPolicy

    /// Creates the object; nothing is read.
    init(_ paths: AgentPaths, policy: TrustPolicy) {
        installed = paths.below("/usr/share/cleat/schemas").string
        directory = paths.config.appending(SourceKind.schema.directory)
        self.policy = policy
    }

    /// Lists the schemas in the order of their names.
    func list() throws(APIError) -> [InstalledSchema] {
        try names().map { name throws(APIError) in
            let bytes = try contents(of: name)
            let schema = try? JSONReader.read(bytes, limits: SchemaText.limits)
            return InstalledSchema(
                name: name, description: schema?["description"]?.stringValue ?? "",
                state: state(of: name, bytes))
        }
    }

    private func names() throws(APIError) -> [String] {
        do throws(TrustError) {
            return try policy.names(in: installed, suffix: Self.suffix, byteLimit: Self.namesBytes, kind: "schemas").map
            { String($0.dropLast(Self.suffix.utf8.count)) }.sortedByBytes()
        } catch {
            if error.errno == .noSuchFileOrDirectory { return [] }
            throw .schemaRefused(name: "", message: "the installed schemas could not be listed: \(error)")
        }
    }

    private func contents(of name: String) throws(APIError) -> [UInt8] {
        do throws(TrustError) {
            return try policy.contents(
                of: "\(installed)/\(name)\(Self.suffix)", limit: SourceLimits.fileBytes, for: .reading)
        } catch {
            throw .schemaRefused(name: name, message: "the schema \(name) could not be read: \(error)")
        }
    }

    private func state(of name: String, _ bytes: [UInt8]) -> InstalledSchema.State {
        guard FileMoves.exists(file(of: name)) else { return .disabled }
        let copy = try? policy.contents(of: file(of: name), limit: SourceLimits.fileBytes, for: .reading)
        return copy == bytes ? .enabled : .changed
    }

    /// Returns the path of a schema's copy.
    func file(of name: String) -> String { "\(directory)/\(name)\(Self.suffix)" }

    /// Enables a schema: copies it to the administrator's directory.
    ///
    /// - Returns: false if it is enabled already.
    /// - Throws: `APIError` if there is no such schema, or another file has its name.
    func enable(_ name: String) throws(APIError) -> Bool {
        let bytes = try known(name)
        switch state(of: name, bytes) {
        case .enabled: return false
        case .changed: throw edited(name)
        case .disabled: break
        }
        do {
            try FileMoves.makeDirectories(directory, mode: 0o755)
            let opened = try FileDescriptor.open(directory, .readOnly, options: [.directory, .closeOnExec])
            try opened.closeAfter {
                try DurableFile.write(bytes, to: name + Self.suffix, in: opened, permissions: .ownerReadWriteOthersRead)
            }
        } catch {
            throw .schemaRefused(name: name, message: "\(file(of: name)) could not be written: \(error)")
        }
        return true
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
        case .changed: throw edited(name)
        case .enabled: break
        }
        if let schema = try? SchemaText.read(bytes, without: "x-cleat-apply", file: name),
            let path = schema.firstSet(in: settings)
        {
            throw .schemaRefused(
                name: name,
                message: "\(path) is set, and the schema \(name) defines it; unset it first: cleat unset \(path)")
        }
        remove(name)
        return true
    }

    /// Removes a schema's copy.
    func remove(_ name: String) { FileMoves.remove(FilePath(file(of: name))) }

    /// Returns the content of an installed schema.
    private func known(_ name: String) throws(APIError) -> [UInt8] {
        let names = try names()
        // The name comes from a client, and is a part of a path.
        guard names.contains(name) else {
            let list = names.isEmpty ? "\(installed) has none" : "there are \(names.joined(separator: ", "))"
            throw .schemaRefused(name: name, message: "no schema of this name is installed; \(list)")
        }
        return try contents(of: name)
    }

    private func edited(_ name: String) -> APIError {
        .schemaRefused(
            name: name,
            message:
                "\(file(of: name)) differs from the installed schema; edit or remove it by hand, then run cleat reload")
    }
}

extension FilePermissions {
    /// `rw-r--r--`.
    fileprivate static let ownerReadWriteOthersRead: FilePermissions = [.ownerReadWrite, .groupRead, .otherRead]
}

extension Schema {
    /// Returns the first setting of this schema that a layer above the defaults sets; nil if there is none.
    fileprivate func firstSet(in settings: LayeredSettings) -> SettingPath? {
        for entry in entries() {
            let fixed = entry.pattern.utf8.split(separator: UInt8(ascii: "{")).first.map { String(Substring($0)) } ?? ""
            let text = fixed.utf8.last == UInt8(ascii: "/") ? String(fixed.dropLast()) : fixed
            guard let path = try? SettingPath(text) else { continue }
            if let set = settings.list(under: path, defaults: false).first { return set.path }
        }
        return nil
    }
}
