package import CleatJSON

/// Merges JSON values by RFC 7396, and finds the patch that leads from one to another.
package enum MergePatch {
    /// Applies a patch: objects are merged, null removes a member, anything else replaces.
    ///
    /// - Parameters:
    ///   - patch: what changes.
    ///   - target: what it is applied to; nil where there is nothing.
    /// - Returns: the result, or nil where `patch` is null.
    package static func apply(_ patch: JSONValue, to target: JSONValue?) -> JSONValue? {
        guard case .object(let changes) = patch else { return patch.isNull ? nil : patch }
        var result = target?.objectValue ?? JSONObject()
        for (key, change) in changes {
            result[key] = apply(change, to: result[key])
        }
        return .object(result)
    }

    /// Finds the smallest patch that makes one value into another one.
    ///
    /// - Parameters:
    ///   - old: without nulls.
    ///   - new: without nulls.
    /// - Returns: nil where nothing differs.
    package static func patch(from old: JSONValue?, to new: JSONValue) -> JSONValue? {
        guard case .object(let before) = old, case .object(let after) = new else { return old == new ? nil : new }
        var result = JSONObject()
        for (key, _) in before where after[key] == nil {
            result[key] = .null
        }
        for (key, value) in after {
            result[key] = patch(from: before[key], to: value)
        }
        return result.isEmpty ? nil : .object(result)
    }
}
