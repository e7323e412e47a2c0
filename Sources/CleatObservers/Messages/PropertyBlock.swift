internal import CleatIO

/// Properties in the kernel's own compact form: `KEY=VALUE` entries, each ended by a NUL.
///
/// One allocation holds all entries, so a thousand stored events stay small; they are converted to a dictionary only
/// for a reader that needs one. If a key occurs twice, the later entry counts.
package struct PropertyBlock: Sendable, Equatable {
    /// The largest size of a block in bytes; further entries are dropped without being counted, since the kernel's
    /// limit is 2 KiB and udevd's is 8 KiB.
    package static let limit = 64 * 1024

    /// The entries, each ended by a NUL.
    package private(set) var bytes: [UInt8]

    /// Makes an empty block.
    package init() {
        bytes = []
    }

    /// Makes a block from the entries of a message; entries that are not `KEY=VALUE` are skipped.
    package init(entries: ArraySlice<UInt8>) {
        bytes = []
        bytes.reserveCapacity(min(entries.count + 1, Self.limit))
        for entry in entries.split(separator: 0, omittingEmptySubsequences: true) {
            guard let equals = entry.firstIndex(of: UInt8(ascii: "=")), equals > entry.startIndex else { continue }
            guard bytes.count + entry.count < Self.limit else { break }
            bytes.append(contentsOf: entry)
            bytes.append(0)
        }
    }

    /// Makes a block from a dictionary, sorted by the bytes of its keys.
    package init(_ dictionary: [String: String]) {
        self.init()
        for (key, value) in dictionary.sortedByKey() {
            append(key, value)
        }
    }

    /// True if there is no entry.
    package var isEmpty: Bool { bytes.isEmpty }

    /// Adds an entry.
    ///
    /// An entry is skipped if its key is empty or contains `=` or NUL, its value contains NUL, or the block would
    /// exceed ``limit``.
    package mutating func append(_ key: String, _ value: String) {
        guard !key.isEmpty, !key.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "=") }),
            !value.utf8.contains(0), bytes.count + key.utf8.count + value.utf8.count + 2 <= Self.limit
        else { return }
        bytes.append(contentsOf: key.utf8)
        bytes.append(UInt8(ascii: "="))
        bytes.append(contentsOf: value.utf8)
        bytes.append(0)
    }

    /// The value of a key; setting replaces every entry of that key, and nil removes them.
    package subscript(key: String) -> String? {
        get {
            var found: ArraySlice<UInt8>?
            forEach { name, value in
                if name.elementsEqual(key.utf8) { found = value }
            }
            return found.map { String(decoding: $0, as: UTF8.self) }
        }
        set {
            var kept: [UInt8] = []
            kept.reserveCapacity(bytes.count)
            forEach { name, value in
                if name.elementsEqual(key.utf8) { return }
                kept.append(contentsOf: name)
                kept.append(UInt8(ascii: "="))
                kept.append(contentsOf: value)
                kept.append(0)
            }
            bytes = kept
            if let newValue { append(key, newValue) }
        }
    }

    /// Calls a closure with the key and the value of each entry, in order.
    package func forEach(_ body: (_ key: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) -> Void) {
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: 0) ?? bytes.endIndex
            if let equals = bytes[start..<end].firstIndex(of: UInt8(ascii: "=")) {
                body(bytes[start..<equals], bytes[(equals + 1)..<end])
            }
            start = end + 1
        }
    }

    /// The properties as text; bytes that are not UTF-8 are replaced.
    package var dictionary: [String: String] {
        var result: [String: String] = [:]
        forEach { key, value in
            result[String(decoding: key, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
        }
        return result
    }
}

extension PropertyBlock: ExpressibleByDictionaryLiteral {
    /// Makes a block from the entries of a literal, in their order.
    package init(dictionaryLiteral elements: (String, String)...) {
        self.init()
        for (key, value) in elements { append(key, value) }
    }
}
