internal import CleatSandbox

extension SystemResources {
    /// The fingerprint of a resource that does not exist (``fingerprint(of:)``).
    package static let absentFingerprint = SHA256.hexadecimal(of: Array("absent\n".utf8))

    /// Returns true if a resource has a desired state; a file's mode and owner are compared only if the state sets
    /// them.
    ///
    /// - Throws: the reason why it could not be read.
    package func holds(_ state: ResourceState, _ resource: Resource) throws(ResourceError) -> Bool {
        switch (resource, state) {
        case (_, .kept): return true
        case (.file(let path), .file(let file)):
            do throws(SandboxError) {
                let content = try files.read(path)
                return content.bytes == file.bytes && (file.permissions.map { $0 == content.permissions } ?? true)
                    && (file.owner.map { $0 == content.owner } ?? true)
            } catch {
                guard error.code == .notFound else { throw ResourceError(.look, resource, error) }
                return false
            }
        case (.link(let path), .link(let target)):
            return try managed(.look, resource) { files throws(SandboxError) in try files.linkTarget(path) == target }
        case (.file(let path), .absent), (.link(let path), .absent): return try kind(at: path) == nil
        case (.document(let path), .content(let hash)):
            return try look(atDocument: path, .look).bytes.map { SHA256.hexadecimal(of: $0) == hash } ?? false
        case (_, .text(let text)):
            switch try capture(resource, for: "").content {
            case .bytes(let bytes):
                return AttributeText.value(of: bytes) == AttributeText.value(of: Array(text.utf8))
            // The file has no such line, and none is added.
            default: return true
            }
        case (.interface(let name), .interface(let state)):
            return try differences(of: name, from: state)?.isEmpty ?? true
        default: return false
        }
    }

    /// Returns a resource's content for ``Adapter/adopted(_:_:)``: a file's bytes, a link's target, or a value's text.
    ///
    /// - Returns: the content; nil if there is none.
    /// - Throws: the reason why it could not be read.
    package func content(of resource: Resource) throws(ResourceError) -> [UInt8]? {
        switch resource {
        case .file(let path):
            do throws(SandboxError) {
                return try files.read(path).bytes
            } catch {
                if error.code == .notFound { return nil }
                throw ResourceError(.look, resource, error)
            }
        case .link(let path):
            return try managed(.look, resource) { files throws(SandboxError) in try files.linkTarget(path) }
                .map { Array($0.utf8) }
        case .interface: return nil
        case .document(let path): return try look(atDocument: path, .look).bytes
        case .line, .attribute, .hostName:
            guard case .bytes(let bytes) = try capture(resource, for: "").content else { return nil }
            return AttributeText.value(of: bytes)
        }
    }
}
