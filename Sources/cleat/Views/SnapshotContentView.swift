import CleatAPI
import CleatJSON
import CleatViews

/// Prints the content of a snapshot: the output of `cleat snapshot show`.
struct SnapshotContentView: TextPresentable, JSONPresentable {
    var reply: SnapshotsInterface.Show.Reply

    func write(to page: inout TextPage) {
        let snapshot = reply.snapshot
        page.line(.init(snapshot.name, .strong), .init(" of generation \(snapshot.generation)"))
        page.line(
            .init("made \(snapshot.time)\(snapshot.synchronised ? "" : "?") by \(snapshot.author)", .faint))
        if let importer = snapshot.importer {
            page.line(.init("imported by \(importer): only root restores its files", .faint))
        }
        if let comment = snapshot.comment { page.line(.init(comment)) }
        for setting in reply.settings {
            page.line(
                .init(setting.path, .name), .init(" = "),
                setting.value.map { .init(SettingText.text(of: $0)) } ?? .init("(secret, or omitted)", .faint))
        }
        for resource in reply.resources {
            page.line(resource.spans)
        }
        page.line(.init("intact: every hash was verified", .good))
    }

    var json: JSONValue { JSONValue(showing: reply) }

    var jsonLines: [JSONValue] {
        reply.settings.map { JSONValue(showing: $0) } + reply.resources.map { JSONValue(showing: $0) }
    }
}

extension SnapshotResource {
    /// The resource with its permissions, and a mark if it differs from the result of the settings.
    var spans: [TextSpan] {
        var spans = [TextSpan(resource, .name), TextSpan(" \(shownContent)", .faint)]
        let rights = [mode, owner].compactMap(\.self).joined(separator: " ")
        if !rights.isEmpty { spans.append(TextSpan(" \(rights)", .faint)) }
        if differs == true { spans.append(TextSpan(" differs from the settings", .bad)) }
        return spans
    }

    /// The digest and size of the content, or the reason why they are missing.
    fileprivate var shownContent: String {
        if let sha256 { return "\(sha256.prefix(12)) \(size.shownBytes)" }
        return size > 0 ? "(may hold a secret) \(size.shownBytes)" : "(omitted)"
    }
}
