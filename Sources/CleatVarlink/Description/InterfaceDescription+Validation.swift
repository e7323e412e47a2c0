package import CleatJSON

extension InterfaceDescription {
    /// Checks a call's parameters for unknown and missing ones and wrong types; null counts as missing if the type is
    /// optional.
    ///
    /// - Returns: `MethodNotFound`, or `InvalidParameter` with the path of the parameter; nil if the parameters are
    ///   valid.
    package func validate(_ parameters: JSONObject, of method: String) -> VarlinkError? {
        guard let declaration = methods[method] else { return .methodNotFound("\(name).\(method)") }
        return validate(parameters, against: declaration.parameters).map { .invalidParameter($0) }
    }

    /// Checks a reply's parameters.
    ///
    /// - Returns: The path of the first member that the description does not allow: `settings[2].origin`.
    package func mismatch(reply: JSONObject, of method: String) -> String? {
        guard let declaration = methods[method] else { return method }
        return validate(reply, against: declaration.reply)
    }

    /// Checks an error's parameters.
    ///
    /// - Returns: The path of the first member that the description does not allow, or the error's name where this
    ///   interface does not declare it.
    package func mismatch(error: VarlinkError) -> String? {
        guard error.interface == name, let declaration = errors[error.shortName] else { return error.name }
        return validate(error.parameters, against: declaration.parameters)
    }

    /// Checks an object against fields; returns the path of a member that is not allowed, or nil.
    func validate(_ object: JSONObject, against fields: [VarlinkField]) -> String? {
        var known = 0
        var wrong: String?
        for field in fields {
            guard let value = object[field.name] else {
                if wrong == nil, !field.type.isOptional { wrong = field.name }
                continue
            }
            known += 1
            if wrong == nil, let inner = mismatch(value, field.type) { wrong = field.name + inner }
        }
        // An unknown name is a better hint than the missing one in its place.
        if known != object.count,
            let unknown = object.first(where: { member in
                !fields.contains { $0.name == member.key }
            })
        {
            return unknown.key
        }
        return wrong
    }

    /// Returns the suffix for the path of a value that does not have a type; nil if it has that type.
    private func mismatch(_ value: JSONValue, _ type: VarlinkType) -> String? {
        switch (type, value) {
        case (.object, _), (.optional, .null), (.bool, .bool), (.string, .string), (.int, .integer),
            (.float, .integer), (.float, .number):
            return nil
        case (.int, .number):
            return value.integerValue == nil ? "" : nil
        case (.optional(let wrapped), _):
            return mismatch(value, wrapped)
        case (.named(let name), _):
            guard let declared = types[name] else { return "" }
            return mismatch(value, declared)
        case (.enumeration(let choices), .string(let choice)):
            return choices.contains { $0.name == choice } ? nil : ""
        case (.structure(let fields), .object(let object)):
            return validate(object, against: fields).map { ".\($0)" }
        case (.array(let element), .array(let values)):
            let element = resolved(element)
            for (index, value) in values.enumerated() {
                if let inner = mismatch(value, element) { return "[\(index)]\(inner)" }
            }
            return nil
        case (.dictionary(let element), .object(let object)):
            let element = resolved(element)
            for (key, value) in object {
                if let inner = mismatch(value, element) { return ".\(key)\(inner)" }
            }
            return nil
        default:
            return ""
        }
    }

    /// Looks up a named type, once for all elements of a collection.
    private func resolved(_ type: VarlinkType) -> VarlinkType {
        guard case .named(let name) = type, let declared = types[name] else { return type }
        return declared
    }
}
