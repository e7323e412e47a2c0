import CleatAPI
import CleatJSON

/// Shows settings with their values and origins: what `cleat list` prints.
struct SettingListView: TablePresentable, JSONPresentable {
    var store: String
    var generation: Int64
    var settings: [SettingInfo]
    var onlySet = false

    var columns: [String] { ["PATH", "VALUE", "ORIGIN"] }

    var rows: [[TextSpan]] {
        settings.map { setting in
            [
                TextSpan(setting.path, .name),
                TextSpan(SettingText.text(of: setting.value, missing: "-"), setting.inForce ? .plain : .faint),
                setting.originSpan,
            ]
        }
    }

    var emptyNote: String {
        onlySet ? "nothing is set here; without --only-set the defaults are listed too" : "no setting stands here"
    }

    var json: JSONValue {
        [
            "store": .string(store), "generation": .integer(generation),
            "settings": .array(settings.map { JSONValue(showing: $0) }),
        ]
    }

    var jsonLines: [JSONValue] { settings.map { JSONValue(showing: $0) } }
}

extension SettingInfo {
    /// Where the value comes from, in a few words.
    var originSpan: TextSpan {
        if let inactive { return TextSpan("inactive: \(inactive)", .bad) }
        guard inForce else { return TextSpan("default", .faint) }
        return TextSpan(origin.rawValue)
    }
}
