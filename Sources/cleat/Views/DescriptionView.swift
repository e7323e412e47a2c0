import CleatAPI
import CleatJSON

/// Prints the types and constraints of settings: the output of `cleat describe`.
struct DescriptionView: TextPresentable, JSONPresentable {
    var descriptions: [SettingDescription]

    func write(to page: inout TextPage) {
        if descriptions.isEmpty { page.line(.init("there is no setting here", .faint)) }
        for (index, setting) in descriptions.enumerated() {
            if index > 0 { page.line() }
            page.line(.init(setting.path, .name), .init("  "), .init(setting.types.joined(separator: " or ")))
            let texts = [setting.title, setting.description].compactMap(\.self)
            if !texts.isEmpty { page.line(.init("    " + texts.joined(separator: ": "))) }
            if let value = setting.default {
                page.line(.init("    default: ", .faint), .init(SettingText.text(of: value)))
            }
            for (name, value) in setting.constraints.objectValue ?? [:] {
                page.line(.init("    \(name): ", .faint), .init(SettingText.text(of: value)))
            }
        }
    }

    var json: JSONValue { ["descriptions": .array(jsonLines)] }

    var jsonLines: [JSONValue] { descriptions.map { JSONValue(showing: $0) } }
}
