import CleatAPI
import CleatJSON
import CleatViews

/// Prints the types and constraints of settings: the output of `cleat describe`.
struct DescriptionView: TextPresentable, JSONPresentable {
    var descriptions: [SettingDescription]

    func write(to page: inout TextPage) {
        if descriptions.isEmpty { page.line(.init("there is no setting here", .faint)) }
        for (index, setting) in descriptions.enumerated() {
            if index > 0 { page.line() }
            SettingRow(setting).writeDescription(to: &page)
        }
    }

    var json: JSONValue { ["descriptions": .array(jsonLines)] }

    var jsonLines: [JSONValue] { descriptions.map { JSONValue(showing: $0) } }
}
