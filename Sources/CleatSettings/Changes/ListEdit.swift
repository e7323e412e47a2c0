package import CleatJSON

/// Puts one element into a list, or takes one out.
package struct ListEdit: Sendable, Hashable {
    /// What is done with the element.
    package enum Operation: String, Sendable, Hashable {
        /// The list holds the element afterwards: at its end, unless it was there already.
        case add
        /// The list does not hold the element afterwards.
        case remove
    }

    /// The path of the list.
    package let path: SettingPath
    /// What is done.
    package let operation: Operation
    /// The element.
    package let element: JSONValue

    /// Takes an edit.
    package init(_ path: SettingPath, _ operation: Operation, _ element: JSONValue) {
        self.path = path
        self.operation = operation
        self.element = element
    }
}
