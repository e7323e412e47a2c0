internal import CleatAPI

/// A power supply, with the properties of the kernel that it was read from.
struct PowerRecord: Sendable {
    /// The typed values.
    let supply: Supply
    private let block: PropertyBlock

    init(_ name: String, _ block: PropertyBlock) {
        supply = Supply(name: name, block)
        self.block = block
    }

    /// Returns the events that lead from former supplies to later ones; both are in order of their names.
    static func events(from former: [PowerRecord], to later: [PowerRecord], restored: Bool) -> [EventDraft] {
        let old = Dictionary(former.map { ($0.supply.name, $0.supply) }) { first, _ in first }
        let new = Set(later.map(\.supply.name))
        let gone = former.filter { !new.contains($0.supply.name) }.map { draft("remove", $0.supply, [], restored) }
        return gone
            + later.compactMap { record in
                guard let former = old[record.supply.name] else { return draft("add", record.supply, [], restored) }
                let changes = record.supply.changes(from: former)
                return changes.isEmpty ? nil : draft("change", record.supply, changes, restored)
            }
    }

    private static func draft(
        _ action: String, _ supply: Supply, _ changes: [String], _ restored: Bool
    ) -> EventDraft {
        var properties = supply.properties
        if !changes.isEmpty { properties.append("CHANGED", changes.joined(separator: " ")) }
        return EventDraft(
            source: .power, action: action, subject: supply.name, properties: properties, restored: restored)
    }

    // MARK: Saving

    /// Returns supplies as fields: the name, the number of bytes of the properties, and those.
    static func encoded(_ records: [PowerRecord]) -> [UInt8] {
        var fields = FieldWriter()
        for record in records {
            fields.append(record.supply.name, String(record.block.bytes.count))
            fields.append(bytes: record.block.bytes)
        }
        return fields.bytes
    }

    /// Reads what ``encoded(_:)`` has written.
    static func decoded(_ bytes: [UInt8]) throws(ObserverError) -> [PowerRecord] {
        var fields = FieldReader(bytes)
        var records: [PowerRecord] = []
        while !fields.isAtEnd {
            guard let name = fields.next(), let block = fields.number(Int.self).flatMap({ fields.bytes($0) }) else {
                throw .savedState("a supply is not valid", of: "power supplies")
            }
            records.append(PowerRecord(name, PropertyBlock(entries: block[...])))
        }
        return records
    }
}
