/// Remembers the way to a nested value as a chain, which costs nothing until an error asks for the whole path.
struct CodingTrail {
    private final class Link: Sendable {
        let key: any CodingKey
        let parent: Link?

        init(key: any CodingKey, parent: Link?) {
            self.key = key
            self.parent = parent
        }
    }

    private var last: Link?
    /// The number of keys.
    private(set) var depth = 0

    /// Makes the trail of the outermost value.
    init() {}

    /// Goes one level deeper.
    func appending(_ key: some CodingKey) -> CodingTrail {
        var trail = self
        trail.last = Link(key: key, parent: last)
        trail.depth += 1
        return trail
    }

    /// All keys from the outermost value on.
    var path: [any CodingKey] {
        var path: [any CodingKey] = []
        var link = last
        while let here = link {
            path.append(here.key)
            link = here.parent
        }
        return path.reversed()
    }
}

/// Names a member or element where the coded type has no key of its own.
struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        self.intValue = nil
    }

    init(intValue: Int) {
        self.stringValue = String(intValue)
        self.intValue = intValue
    }

    /// The key under which a class keeps what its superclass encodes.
    static let superclass = JSONKey(stringValue: "super")
}
