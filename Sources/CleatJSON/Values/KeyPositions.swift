/// Finds keys in a list of members: a short list is searched from the front, a longer one with a hash table.
///
/// The table holds positions plus one, 0 for an empty slot, and is never more than three quarters full. The caller owns
/// the list, which may be the tail of a longer one.
struct KeyPositions: Sendable {
    /// The number of members up to which the list is searched without a table.
    static let searched = 16

    private var slots: [UInt32] = []

    /// Makes the index of an empty list.
    init() {}

    /// Makes the index of a list with different keys.
    init(of members: [JSONObject.Element]) {
        guard members.count > Self.searched else { return }
        rebuild(members, from: 0, capacity: members.count)
    }

    /// Returns the position of a key among the members from `base` on; nil if there is none.
    func position(of key: String, in members: [JSONObject.Element], from base: Int) -> Int? {
        if slots.isEmpty {
            let size = key.utf8.count
            var index = base
            while index < members.count {
                // Most keys differ in length.
                if members[index].key.utf8.count == size, members[index].key.hasSameBytes(as: key) {
                    return index - base
                }
                index += 1
            }
            return nil
        }
        var slot = Self.hash(key) & (slots.count - 1)
        while slots[slot] != 0 {
            let position = Int(slots[slot]) - 1
            if members[base + position].key.hasSameBytes(as: key) { return position }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Adds a key that is about to be appended to the members, which do not have it yet.
    mutating func add(_ key: String, in members: [JSONObject.Element], from base: Int) {
        let count = members.count - base
        if slots.isEmpty {
            guard count >= Self.searched else { return }
            rebuild(members, from: base, capacity: count + 1)
        } else if (count + 1) * 4 > slots.count * 3 {
            rebuild(members, from: base, capacity: (count + 1) * 2)
        }
        insert(key, at: count)
    }

    private mutating func rebuild(_ members: [JSONObject.Element], from base: Int, capacity: Int) {
        var size = 32
        while size * 3 < capacity * 4 { size *= 2 }
        slots = Array(repeating: 0, count: size)
        for index in base..<members.count { insert(members[index].key, at: index - base) }
    }

    private mutating func insert(_ key: String, at position: Int) {
        var slot = Self.hash(key) & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt32(truncatingIfNeeded: position + 1)
    }

    private static func hash(_ key: String) -> Int {
        var hasher = Hasher()
        key.hashBytes(into: &hasher)
        return hasher.finalize()
    }
}
