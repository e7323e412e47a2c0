package import CleatJSON

/// An edit that adds one element to a list or removes one.
package struct ListEdit: Sendable, Hashable {
    /// The kinds of edit.
    package enum Operation: String, Sendable, Hashable {
        /// Appends the element unless the list holds it already.
        case add
        /// Removes all elements that are equal to the element.
        case remove
    }

    /// The path of the list.
    package let path: SettingPath
    /// The kind of edit.
    package let operation: Operation
    /// The element.
    package let element: JSONValue

    /// Makes an edit.
    package init(_ path: SettingPath, _ operation: Operation, _ element: JSONValue) {
        self.path = path
        self.operation = operation
        self.element = element
    }
}
