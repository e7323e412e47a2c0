import CleatAPI
import CleatJSON
import CleatSettings
import CleatViews

/// Prints all layers of one setting: the output of `cleat why`.
struct WhyView: TextPresentable, JSONPresentable {
    var reply: SettingsInterface.Why.Reply

    func write(to page: inout TextPage) {
        page.line([TextSpan(reply.setting.path, .name), TextSpan(" = "), value(of: reply.setting.value)] + state)
        if let inactive = reply.setting.inactive { page.line(.init("  inactive: \(inactive)", .bad)) }
        let width = reply.layers.map { $0.layer.shownName.count }.max() ?? 0
        for layer in reply.layers { write(layer, width: width, to: &page) }
        if reply.layers.isEmpty { page.line(.init("  no layer has a value", .faint)) }
        if let lock = reply.lock {
            var spans = [TextSpan("locked", .strong), TextSpan(" to \(lock.layer.shownName) by \(lock.file)")]
            if lock.path != reply.setting.path { spans.append(TextSpan(", with all below \(lock.path)")) }
            if let reason = lock.reason { spans.append(TextSpan(": \(reason)")) }
            page.line(spans)
        }
        if let live = reply.live {
            let isOther = reply.setting.inForce && reply.setting.value != nil && reply.setting.value != live
            page.line(
                .init("the system has "), .init(SettingText.text(of: live), isOther ? .bad : .strong))
        }
        guard let unset = reply.unset else {
            page.line(.init("unset changes nothing", .faint))
            return
        }
        var spans = [TextSpan("unset would give "), value(of: unset.value)] + source(of: unset, before: "  from ")
        if unset.layer == .volatile { spans.append(TextSpan(", until the next boot", .faint)) }
        page.line(spans)
    }

    private var state: [TextSpan] {
        if let pending = reply.setting.pending { return [TextSpan("  (pending: \(pending))", .faint)] }
        return []
    }

    private func write(_ layer: LayerInfo, width: Int, to page: inout TextPage) {
        let name = layer.layer.shownName
        var spans = [
            TextSpan(layer.inForce ? "* " : "  ", .good),
            TextSpan(name + String(repeating: " ", count: width - name.count + 2), layer.inForce ? .strong : .plain),
            value(of: layer.value),
        ]
        spans += origin(of: layer, before: "  ")
        page.line(spans)
        if let comment = layer.comment { page.line(.init("      "), .init(comment, .faint)) }
        if let ignored = layer.ignored { page.line(.init("      ignored: \(ignored)", .bad)) }
    }

    private func value(of value: JSONValue?) -> TextSpan {
        guard let value else {
            let isSecret = reply.setting.secret == true
            return isSecret ? TextSpan("(secret)", .faint) : TextSpan("unset", .faint)
        }
        return TextSpan(SettingText.text(of: value), .strong)
    }

    private func source(of layer: LayerInfo, before: String) -> [TextSpan] {
        [TextSpan("\(before)\(layer.layer.shownName)", .faint)] + origin(of: layer, before: ", ")
    }

    /// Returns the file or the generation of a layer's value, with its author and time.
    private func origin(of layer: LayerInfo, before: String) -> [TextSpan] {
        var parts: [String] = []
        if let file = layer.file { parts.append(file) }
        if let generation = layer.generation { parts.append("#\(generation)") }
        if let author = layer.author { parts.append(author) }
        if let time = layer.time { parts.append(time) }
        return parts.isEmpty ? [] : [TextSpan(before + parts.joined(separator: "  "), .faint)]
    }

    var json: JSONValue { JSONValue(showing: reply) }
}

extension SettingLayer {
    /// The layer's name in text output.
    var shownName: String {
        switch self {
        case .schemaDefault: "schema default"
        case .vendor: "vendor"
        case .factory: "factory"
        case .committed: "committed"
        case .volatile: "volatile"
        }
    }
}
