package import CleatJSON

extension FilesError {
    private static let prefix = FilesInterface.name + "."

    /// The fully qualified name on the wire.
    package var name: String { Self.prefix + kind.rawValue }

    /// The parameters of the error on the wire.
    package var parameters: JSONObject {
        var parameters: JSONObject = [:]
        for member in kind.members { parameters[member.rawValue] = self[member] }
        return parameters
    }

    /// Reads an error from the wire; a field that is missing or of another type counts as empty.
    ///
    /// - Returns: nil if the interface declares no error of that name.
    package init?(name: String, parameters: JSONObject) {
        guard name.utf8.starts(with: Self.prefix.utf8),
            let kind = Kind(rawValue: String(name.dropFirst(Self.prefix.utf8.count)))
        else { return nil }
        self.init(kind, message: "")
        for member in kind.members {
            if let value = parameters[member.rawValue] { self[member] = value }
        }
    }

    private subscript(member: Member) -> JSONValue {
        get {
            switch member {
            case .area: .string(area)
            case .path: .string(path)
            case .reason: .string(reason)
            case .resource: .string(resource)
            case .id: .string(id)
            case .expected: .string(expected)
            case .found: .string(found)
            case .used: .integer(used)
            case .limit: .integer(limit)
            case .asked: .integer(asked)
            case .offset: .integer(offset)
            case .message: .string(message)
            }
        }
        set {
            let text = newValue.stringValue ?? ""
            let number = newValue.integerValue ?? 0
            switch member {
            case .area: area = text
            case .path: path = text
            case .reason: reason = text
            case .resource: resource = text
            case .id: id = text
            case .expected: expected = text
            case .found: found = text
            case .used: used = number
            case .limit: limit = number
            case .asked: asked = number
            case .offset: offset = number
            case .message: message = text
            }
        }
    }
}

/// The fields of the errors, by their names on the wire.
private enum Member: String {
    case area, path, reason, resource, id, expected, found, used, limit, asked, offset, message
}

extension FilesError.Kind {
    /// The fields of errors of this kind, in the order of the interface description.
    fileprivate var members: [Member] {
        switch self {
        case .unknownArea, .areaUnavailable: [.area, .message]
        case .invalidPath, .notFound, .noSpace, .changed: [.area, .path, .message]
        case .refused, .failed: [.area, .path, .reason, .message]
        case .quotaExceeded: [.area, .path, .resource, .used, .limit, .asked, .message]
        case .unknownUpload: [.id, .message]
        case .uploadConflict: [.id, .area, .path, .message]
        case .tooManyUploads, .tooLong: [.limit, .message]
        case .wrongOffset: [.id, .offset, .message]
        case .hashMismatch: [.id, .expected, .found, .message]
        }
    }
}
