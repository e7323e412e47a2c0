import CleatAPI
import CleatJSON
import CleatSettings

/// The committed settings as JSON5 with comments, written while their pages arrive: the text of a board takes a third of
/// the memory that its settings do.
///
/// Few boards have settings that ``SettingsText`` writes in another place than the service lists them: a value above a
/// withheld one, an empty group, a stored value that is not in force, a volatile one. The text of such a board is not
/// made here.
struct StreamedExport {
    /// The finished parts of the text.
    private(set) var parts: [String] = []
    private var printer: SettingsPrinter
    /// The paths of the last settings whose bytes the next path may begin with, the shortest first.
    private var above: [SettingPath] = []

    /// Begins a text with the schema's descriptions and a comment at the top.
    init(outline: SchemaOutline, heading: String) {
        printer = SettingsPrinter(outline: outline, heading: heading)
    }

    /// Adds the next setting that the service lists; returns false if this text cannot have it.
    mutating func add(_ info: SettingInfo, at path: SettingPath) -> Bool {
        if info.inactive != nil || info.origin == .volatile { return false }
        guard info.origin == .committed else { return true }
        let leaf: SettingsPrinter.Leaf
        if let value = info.complete {
            if value.isEmptyObject { return false }
            leaf = .value(value)
        } else if info.secret == true {
            leaf = .withheld(path.name, SettingsSnapshot.setSecret)
        } else {
            return true
        }
        guard follows(path) else { return false }
        printer.add(path, leaf)
        if printer.writer.count > SettingsText.part { parts.append(printer.writer.take()) }
        return true
    }

    /// Ends the text.
    mutating func finish() {
        printer.writer.finish()
        parts.append(printer.writer.take())
    }

    /// Returns true if a path comes after those before it, and below none of them.
    private mutating func follows(_ path: SettingPath) -> Bool {
        if let last = above.last, !(last < path) { return false }
        while let last = above.last, !ByteOrder.starts(path.text, with: last.text) { above.removeLast() }
        if above.contains(where: { $0.isPrefix(of: path) }) { return false }
        above.append(path)
        return true
    }
}

extension StreamedExport {
    /// Reads all committed settings below a prefix; nil if the text cannot be made of the pages as they come.
    ///
    /// - Parameters:
    ///   - prefix: the path of a group; nil for all settings.
    ///   - reveal: true to ask for secrets, too.
    ///   - session: the session with the service.
    ///   - heading: Returns the comment at the top for the state of the pages.
    /// - Returns: the text, in parts; nil, too, if a commit came between two pages.
    /// - Throws: the service's refusal.
    static func text(
        under prefix: String?, reveal: Bool, from session: Session, heading: (GenerationRef) -> String
    ) throws(CommandError) -> [String]? {
        let outline = try SchemaOutline(from: session)
        var export: StreamedExport?
        var isTaken = true
        let reference = try SettingsSnapshot.each(under: prefix, reveal: reveal, from: session) { info, path, present in
            guard isTaken else { return }
            if export == nil { export = StreamedExport(outline: outline, heading: heading(present)) }
            isTaken = export?.add(info, at: path) ?? false
            if !isTaken { export = nil }
        }
        guard isTaken, let reference else { return nil }
        var text = export ?? StreamedExport(outline: outline, heading: heading(reference))
        text.finish()
        return text.parts
    }
}
