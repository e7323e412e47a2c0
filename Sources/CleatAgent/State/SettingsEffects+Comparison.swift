import CleatIO
import CleatSettings

extension SettingsEffects {
    /// Compares all settings of two states, defaults included, page by page, so that other tasks can run in between.
    static func between(
        _ before: LayeredSettings, _ after: LayeredSettings, on loop: EventLoop
    ) async -> SettingsEffects {
        var effects = SettingsEffects()
        var old = SettingsPages(settings: before)
        var new = SettingsPages(settings: after)
        var count = 0
        while true {
            switch (old.current, new.current) {
            case (let mine?, let theirs?) where mine.path == theirs.path:
                effects.compare(mine, theirs, mine.path)
                old.advance()
                new.advance()
            case (let mine?, let theirs) where theirs.map({ mine.path < $0.path }) ?? true:
                effects.compare(mine, nil, mine.path)
                old.advance()
            case (_, let theirs?):
                effects.compare(nil, theirs, theirs.path)
                new.advance()
            default: return effects
            }
            count += 1
            if count.isMultiple(of: SettingsPages.size) { await loop.yield() }
        }
    }
}

/// Iterates over all settings with no more than one page of them in memory.
private struct SettingsPages {
    static let size = 256

    let settings: LayeredSettings
    private var page: ArraySlice<ResolvedSetting>

    init(settings: LayeredSettings) {
        self.settings = settings
        page = settings.list(under: nil, limit: Self.size)[...]
    }

    var current: ResolvedSetting? { page.first }

    mutating func advance() {
        guard let last = page.popFirst(), page.isEmpty else { return }
        page = settings.list(under: nil, after: last.path, limit: Self.size)[...]
    }
}
