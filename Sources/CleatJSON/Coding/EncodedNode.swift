/// Collects the output of one `encode(to:)`, shared by its containers.
///
/// A nested container has a placeholder here, which its value replaces at the end, so that members and elements keep
/// the order in which they were started.
final class EncodedNode {
    private var value: JSONValue?
    private var object: JSONObject?
    private var array: [JSONValue]?
    private var keyedChildren: [(key: String, node: EncodedNode)] = []
    private var indexedChildren: [(index: Int, node: EncodedNode)] = []

    /// The number of elements.
    var count: Int { array?.count ?? 0 }

    func set(_ value: JSONValue) {
        self.value = value
    }

    func becomeObject() {
        if object == nil { object = JSONObject() }
    }

    func becomeArray() {
        if array == nil { array = [] }
    }

    func set(_ value: JSONValue, forKey key: String) {
        object?.updateValue(value, forKey: key)
        if !keyedChildren.isEmpty { keyedChildren.removeAll { $0.key.hasSameBytes(as: key) } }
    }

    func append(_ value: JSONValue) {
        array?.append(value)
    }

    /// Returns the node of a nested container; the same one for the same key.
    func child(forKey key: String) -> EncodedNode {
        if let known = keyedChildren.first(where: { $0.key.hasSameBytes(as: key) }) { return known.node }
        let node = EncodedNode()
        object?.updateValue(.null, forKey: key)
        keyedChildren.append((key, node))
        return node
    }

    func appendChild() -> EncodedNode {
        let node = EncodedNode()
        indexedChildren.append((count, node))
        array?.append(.null)
        return node
    }

    /// Builds the value; a type that encoded nothing is an empty object.
    func finish() -> JSONValue {
        if let value { return value }
        if var array {
            for (index, node) in indexedChildren { array[index] = node.finish() }
            return .array(array)
        }
        var object = self.object ?? JSONObject()
        for (key, node) in keyedChildren { object.updateValue(node.finish(), forKey: key) }
        return .object(object)
    }
}
