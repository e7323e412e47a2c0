/// Collects what one `encode(to:)` says, shared by the containers that were handed out for it.
///
/// A nested container leaves a placeholder here and is asked for its value at the end, so that members and elements
/// keep the order in which they were begun.
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

    /// The node of a nested container; asking again gives the same one.
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

    /// Builds the value; what encoded nothing is an empty object.
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
