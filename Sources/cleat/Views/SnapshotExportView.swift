import CleatJSON

/// Prints the file of an exported snapshot: the output of `cleat snapshot export`.
struct SnapshotExportView: TextPresentable, JSONPresentable {
    var name: String
    var file: String
    var omitted: [String]

    func write(to page: inout TextPage) {
        page.line(.init("exported "), .init(name, .name), .init(" into \(file)"))
        for name in omitted { page.line(.init("left out, as it may hold a secret: \(name)", .faint)) }
    }

    var json: JSONValue {
        ["name": .string(name), "file": .string(file), "omitted": .array(omitted.map { .string($0) })]
    }
}
