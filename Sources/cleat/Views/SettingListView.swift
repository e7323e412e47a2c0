import CleatAPI
import CleatJSON
import CleatSettings
import CleatViews

/// Prints settings with their values and origins: the output of `cleat list`.
struct SettingListView: TablePresentable, JSONPresentable {
    var store: String
    var generation: Int64
    var settings: [SettingInfo]
    var onlySet = false
    /// The service's reason for an empty list, if there is one.
    var note: String?

    var columns: [String] { ["PATH", "VALUE", "ORIGIN"] }

    var rows: [[TextSpan]] {
        settings.map { setting in
            [
                TextSpan(setting.path, .name),
                setting.valueSpan,
                setting.originSpan,
            ]
        }
    }

    var emptyNote: String {
        if let note { return note }
        return onlySet
            ? "nothing is set here; without --only-set unset settings are listed, too" : "there is no setting here"
    }

    var json: JSONValue {
        var object: JSONObject = [
            "store": .string(store), "generation": .integer(generation),
            "settings": .array(settings.map { JSONValue(showing: $0) }),
        ]
        object["note"] = note.map(JSONValue.string)
        return .object(object)
    }

    var jsonLines: [JSONValue] { settings.map { JSONValue(showing: $0) } }

    func writeJSONLines(into output: inout [UInt8]) {
        // They are written as the service has sent them, which is quicker by half than by a tree.
        var text = JSONObjectText()
        for setting in settings {
            setting.write(to: &text)
            text.bytes.append(UInt8(ascii: "\n"))
        }
        output += text.bytes
    }
}

extension SettingInfo {
    /// The value; `(secret)` for a withheld one, `(unset)` if there is none.
    var valueSpan: TextSpan {
        guard let value else {
            return TextSpan(secret == true && origin != .schemaDefault ? "(secret)" : "(unset)", .faint)
        }
        return TextSpan(SettingText.text(of: value), origin == .schemaDefault ? .faint : .plain)
    }

    /// The origin of the value in short form, with marks for a lock and a change on trial.
    var originSpan: TextSpan {
        if let inactive { return TextSpan("inactive: \(inactive)" + marks, .bad) }
        guard origin != .schemaDefault else { return TextSpan((value == nil ? "-" : "default") + marks, .faint) }
        return TextSpan(origin.rawValue + marks, pending == nil ? .plain : .strong)
    }

    private var marks: String { lockMark + (pendingMark.map { ", \($0)" } ?? "") }

    /// The mark with the id of the change on trial that set the value; nil if there is none.
    var pendingMark: String? { pending.map { "pending: \($0)" } }

    private var lockMark: String { lock.map { ", locked to \($0.shownName)" } ?? "" }
}
