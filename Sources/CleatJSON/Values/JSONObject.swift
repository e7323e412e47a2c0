/// Maps keys to JSON values and keeps the insertion order of the keys.
///
/// Keys are compared by their UTF-8 bytes. A small object is a plain list that is searched from the front; above
/// sixteen members it also has a hash table of 32-bit positions. Equality and hash ignore the order.
public struct JSONObject: Sendable {
    /// One key and its value.
    public typealias Element = (key: String, value: JSONValue)

    private(set) var members: [Element]
    private var positions: KeyPositions

    /// Makes an empty object.
    public init() {
        members = []
        positions = KeyPositions()
    }

    /// Makes an object of pairs; of two pairs with the same key the later value counts, at the earlier position.
    public init(_ pairs: some Sequence<(String, JSONValue)>) {
        self.init()
        members.reserveCapacity(pairs.underestimatedCount)
        for (key, value) in pairs { updateValue(value, forKey: key) }
    }

    /// Makes an object of members with different keys, and of the table that was built for them.
    init(members: [Element], positions: KeyPositions) {
        self.members = members
        self.positions = positions
    }

    /// The value of a key; nil if the object has no such key; assigning nil removes the key.
    public subscript(key: String) -> JSONValue? {
        get { index(forKey: key).map { members[$0].value } }
        set {
            if let newValue {
                updateValue(newValue, forKey: key)
            } else {
                removeValue(forKey: key)
            }
        }
    }

    /// Returns the position of a key; nil if the object has no such key.
    public func index(forKey key: String) -> Int? {
        positions.position(of: key, in: members, from: 0)
    }

    /// Sets the value of a key, a new key at the end, and returns the former value.
    @discardableResult
    public mutating func updateValue(_ value: JSONValue, forKey key: String) -> JSONValue? {
        if let index = index(forKey: key) {
            let old = members[index].value
            members[index].value = value
            return old
        }
        positions.add(key, in: members, from: 0)
        members.append((key, value))
        return nil
    }

    /// Removes a key and returns its former value; the other keys keep their order.
    @discardableResult
    public mutating func removeValue(forKey key: String) -> JSONValue? {
        guard let index = index(forKey: key) else { return nil }
        let old = members.remove(at: index)
        positions = KeyPositions(of: members)
        return old.value
    }

    /// Reserves space for a number of members.
    public mutating func reserveCapacity(_ capacity: Int) {
        members.reserveCapacity(capacity)
    }

    /// Sorts the members by their keys' UTF-8 bytes.
    public mutating func sortByKey() {
        members = sortedByKey()
        positions = KeyPositions(of: members)
    }

    /// Returns the members sorted by their keys' UTF-8 bytes.
    public func sortedByKey() -> [Element] {
        var places = members.indices.dropFirst()
        while let place = places.first, members[place - 1].key.hasLowerBytes(than: members[place].key) {
            places.removeFirst()
        }
        return places.isEmpty ? members : members.sorted { $0.key.hasLowerBytes(than: $1.key) }
    }
}

extension JSONObject: RandomAccessCollection {
    /// The position of the first member: 0.
    public var startIndex: Int { 0 }

    /// The position after the last member.
    public var endIndex: Int { members.count }

    /// The member at a position.
    public subscript(position: Int) -> Element { members[position] }

    /// The keys in order.
    public var keys: some RandomAccessCollection<String> & Sendable { members.map(\.key) }

    /// The values in the order of their keys.
    public var values: some RandomAccessCollection<JSONValue> & Sendable { members.map(\.value) }
}

extension JSONObject: Hashable {
    /// Returns true if both objects have the same keys with equal values, in any order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        for (place, member) in left.members.enumerated() {
            // The order is nearly always the same too.
            let other = right.members[place]
            if other.key.hasSameBytes(as: member.key) {
                guard other.value == member.value else { return false }
            } else {
                guard let value = right[member.key], value == member.value else { return false }
            }
        }
        return true
    }

    /// Hashes the members without regard to their order.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for member in members {
            var one = Hasher()
            member.key.hashBytes(into: &one)
            one.combine(member.value)
            sum &+= one.finalize()
        }
        hasher.combine(members.count)
        hasher.combine(sum)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Makes an object; of two members with the same key the later value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements)
    }
}
