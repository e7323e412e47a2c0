import CleatAPI
import CleatJSON
import CleatViews

/// Prints the areas with their usage and quotas: the output of `cleat file df`.
struct FileAreaView: TablePresentable, JSONPresentable {
    var areas: [FileArea]

    var columns: [String] { ["AREA", "USED", "QUOTA", "FILES", "QUOTA", "FREE", "UPLOADS"] }

    var rows: [[TextSpan]] {
        areas.map { area in
            if area.problem != nil {
                return [TextSpan(area.name, .name)] + Array(repeating: TextSpan("-"), count: 6)
            }
            return [
                TextSpan(area.name, .name), TextSpan(area.bytes.shownBytes, style(area.bytes, of: area.quotaBytes)),
                TextSpan(area.quotaBytes.shownBytes),
                TextSpan("\(area.files)", style(area.files, of: area.quotaFiles)), TextSpan("\(area.quotaFiles)"),
                TextSpan(area.freeBytes.shownBytes), TextSpan("\(area.uploads)"),
            ]
        }
    }

    private func style(_ used: Int64, of quota: Int64) -> TextStyle {
        used >= quota - quota / 10 ? .bad : .plain
    }

    var emptyNote: String { "the service has no area of files" }

    var notes: [TextSpan] {
        areas.compactMap { area in area.problem.map { TextSpan("\(area.name): \($0)", .bad) } }
    }

    var json: JSONValue { ["areas": .array(jsonLines)] }

    var jsonLines: [JSONValue] { areas.map { JSONValue(showing: $0) } }
}
