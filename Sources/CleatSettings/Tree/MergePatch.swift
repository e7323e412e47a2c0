package import CleatJSON

/// Merges JSON values as RFC 7396 does, and computes the patch between two values.
package enum MergePatch {
    /// Applies a patch: objects are merged, null removes a member, anything else replaces.
    ///
    /// - Parameters:
    ///   - patch: the changes.
    ///   - target: the value to change; nil if there is none.
    /// - Returns: the result, or nil if `patch` is null.
    package static func apply(_ patch: JSONValue, to target: JSONValue?) -> JSONValue? {
        guard case .object(let changes) = patch else { return patch.isNull ? nil : patch }
        var result = target?.objectValue ?? JSONObject()
        for (key, change) in changes {
            result[key] = apply(change, to: result[key])
        }
        return .object(result)
    }

    /// Returns the smallest patch that changes one value to another.
    ///
    /// - Parameters:
    ///   - old: a value without nulls; nil if there is none.
    ///   - new: a value without nulls.
    /// - Returns: the patch; nil if the values are equal.
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
