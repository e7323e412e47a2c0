extension StoreDirectory {
    /// The release that has used the store last; nil if it left no version.
    var release: String? {
        let head = try? head(of: StoreFormat.releaseName, count: 64, writing: false)
        let text = head.flatMap { $0.bytes.split(separator: UInt8(ascii: "\n")).first } ?? []
        guard text.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
    }
}
