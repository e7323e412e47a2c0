import CleatAPI
import CleatJSON

/// Shows what a snapshot holds: what `cleat snapshot show` prints.
struct SnapshotContentView: TextPresentable, JSONPresentable {
    var reply: SnapshotsInterface.Show.Reply

    func write(to page: inout TextPage) {
        let snapshot = reply.snapshot
        page.line(.init(snapshot.name, .strong), .init(" of generation \(snapshot.generation)"))
        page.line(
            .init("made \(snapshot.time)\(snapshot.synchronised ? "" : "?") by \(snapshot.author)", .faint))
        if let importer = snapshot.importer {
            page.line(.init("imported by \(importer): only root brings back its files", .faint))
        }
        if let comment = snapshot.comment { page.line(.init(comment)) }
        for setting in reply.settings {
            page.line(
                .init(setting.path, .name), .init(" = "),
                setting.value.map { .init(SettingText.text(of: $0)) } ?? .init("(secret, or left out)", .faint))
        }
        for resource in reply.resources {
            page.line(resource.spans)
        }
        page.line(.init("all of it is whole: every hash was checked", .good))
    }

    var json: JSONValue { JSONValue(showing: reply) }

    var jsonLines: [JSONValue] {
        reply.settings.map { JSONValue(showing: $0) } + reply.resources.map { JSONValue(showing: $0) }
    }
}

extension SnapshotResource {
    /// The resource with its rights, and whether it holds what the settings give.
    var spans: [TextSpan] {
        var spans = [TextSpan(resource, .name), TextSpan(" \(shownContent)", .faint)]
        let rights = [mode, owner].compactMap(\.self).joined(separator: " ")
        if !rights.isEmpty { spans.append(TextSpan(" \(rights)", .faint)) }
        if differs == true { spans.append(TextSpan(" differs from what the settings give", .bad)) }
        return spans
    }

    /// What can be told of the content.
    fileprivate var shownContent: String {
        if let sha256 { return "\(sha256.prefix(12)) \(size.shownBytes)" }
        return size > 0 ? "(may hold a secret) \(size.shownBytes)" : "(left out)"
    }
}
