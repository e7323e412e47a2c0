/// The JSON forms of types whose `Codable` form is not the one to use; nil where it is.
package protocol JSONForms {
    static func encode(_ value: some Encodable) throws -> JSONValue?
    static func decode<T: Decodable>(_ type: T.Type, from value: JSONValue) throws -> T?
}

/// The path to a nested value as a chain, so that only an error has the cost of the whole path.
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

    /// The forms that are used instead of `Codable` ones.
    let forms: (any JSONForms.Type)?

    /// Makes the trail of the outermost value, which is empty.
    init(forms: (any JSONForms.Type)? = nil) { self.forms = forms }

    /// Converts between a value and its form; an error gets the place of the value.
    func convert<Result>(_ body: (any JSONForms.Type) throws -> Result?) throws -> Result? {
        do {
            return try forms.flatMap(body)
        } catch {
            throw JSONCodingError(error, at: []).below(path.map(\.stringValue))
        }
    }

    /// Returns the trail one level deeper.
    func appending(_ key: some CodingKey) -> CodingTrail {
        var trail = self
        trail.last = Link(key: key, parent: last)
        trail.depth += 1
        return trail
    }

    /// All keys, the outermost first.
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

/// The key of a member or an element, for which the coded type has no key of its own.
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

    /// The key of the member that holds the encoded superclass.
    static let superclass = JSONKey(stringValue: "super")
}
