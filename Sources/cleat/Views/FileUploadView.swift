import CleatAPI
import CleatJSON
import CleatViews

/// Prints unfinished uploads: the output of `cleat file uploads`.
struct FileUploadView: TablePresentable, JSONPresentable {
    var uploads: [FileUpload]

    var columns: [String] { ["ID", "USER", "TARGET", "RECEIVED", "OF", "KEPT FOR"] }

    var rows: [[TextSpan]] {
        uploads.map { upload in
            [
                TextSpan(upload.id, .faint), TextSpan("\(upload.user)"),
                TextSpan(FileTarget(area: upload.area, path: upload.path).description, .name),
                TextSpan(upload.received.shownBytes), TextSpan(upload.size.shownBytes),
                TextSpan(Self.duration(upload.expiresIn)),
            ]
        }
    }

    private static func duration(_ milliseconds: Int64) -> String {
        let minutes = max(0, milliseconds) / 60_000
        return minutes < 60 ? "\(minutes)m" : "\(minutes / 60)h \(minutes % 60)m"
    }

    var emptyNote: String { "no upload is pending" }

    var json: JSONValue { ["uploads": .array(jsonLines)] }

    var jsonLines: [JSONValue] { uploads.map { JSONValue(showing: $0) } }
}
