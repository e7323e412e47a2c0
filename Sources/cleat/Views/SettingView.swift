import CleatAPI
import CleatJSON
import CleatSettings
import CleatViews

/// Prints the value at one path: the output of `cleat get`.
struct SettingView: TextPresentable, JSONPresentable {
    var reply: SettingsInterface.Get.Reply
    /// True if the output is text on a terminal: then defaults are marked, and all text is escaped.
    var interactive: Bool

    /// The unescaped value of a leaf for a script, a string without quotes; nil on a terminal, for groups, and if
    /// unset.
    var raw: String? {
        guard !interactive, reply.leaf, let value = reply.setting.value else { return nil }
        return (value.stringValue ?? JSONWriter.write(value, style: .compact)) + "\n"
    }

    func write(to page: inout TextPage) {
        guard let value = reply.setting.value else { return }
        if reply.leaf {
            page.line([TextSpan(value.stringValue ?? JSONWriter.write(value, style: .compact))] + mark)
        } else {
            writeLeaves(of: value, at: reply.setting.path, to: &page)
            // `cleat list` shows which of them are pending.
            if interactive, let mark = reply.setting.pendingMark { page.line(.init("(\(mark))", .strong)) }
        }
    }

    private var mark: [TextSpan] {
        guard interactive else { return [] }
        let pending = reply.setting.pendingMark
        guard reply.setting.origin == .schemaDefault || !reply.setting.inForce else {
            return pending.map { [TextSpan("  (\($0))", .strong)] } ?? []
        }
        let notes = [reply.note, pending].compactMap { $0.map { "; \($0)" } }.joined()
        return [
            TextSpan(
                "  (\(reply.setting.inactive ?? (reply.setting.inForce ? "default" : "default, not in force"))\(notes))",
                .faint)
        ]
    }

    private func writeLeaves(of value: JSONValue, at path: String, to page: inout TextPage) {
        guard case .object(let object) = value, !object.isEmpty else {
            page.line(.init(path, .name), .init(" = "), .init(SettingText.text(of: value)))
            return
        }
        for (key, value) in object {
            writeLeaves(of: value, at: path.isEmpty ? key.pathSegment : "\(path)/\(key.pathSegment)", to: &page)
        }
    }

    var json: JSONValue { JSONValue(showing: reply) }

    var jsonLines: [JSONValue] { [JSONValue(showing: reply.setting)] }
}

extension String {
    /// The key as a segment of a path, with `~` and `/` escaped as in RFC 6901.
    fileprivate var pathSegment: String {
        guard utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "~") }) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "~": text += "~0"
            case "/": text += "~1"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
