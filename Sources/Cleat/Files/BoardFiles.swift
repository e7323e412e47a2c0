public import CleatFiles

/// The areas of files of one board: `documents`, `inbox`, `library` and `temporary`, the same as those of `cleat file`.
///
/// The calls have a connection of their own, so that a large file does not delay the settings. They run one after
/// another; one piece of at most 512 KiB is in memory at a time.
public struct BoardFiles: Sendable {
    let backend: any CleatBackend

    /// Opens an area.
    ///
    /// Each operation continues after a restart of the service, within the time limit of a call; a reader and a writer
    /// continue at the piece that was interrupted. A removal, a move, a copy without `replacing` and a directory without
    /// `withParents` are not sent twice: if the connection is lost meanwhile, they fail with `unreachable`, and may have
    /// been made. ``/CleatFiles/FilesManipulation/append(_:to:)`` takes at most 512 KiB. A writer that is released is
    /// discarded; one whose program has ended is discarded by the service after a day. Arrivals are those of the inbox.
    ///
    /// - Parameter name: The name of the area.
    /// - Returns: The files of the area.
    /// - Throws: ``/CleatFiles/FilesError``: `unknownArea`; `failed` if the service could not open it; `denied`,
    ///   `unreachable`, `timedOut`.
    public func area(_ name: String) async throws(FilesError) -> any Files & FilesWatching {
        switch backend.areas {
        case .service(let line):
            let area = ServiceArea(label: name, line: line, events: backend)
            _ = try await area.status(of: .root)
            return area
        case .given(let areas):
            if let area = areas[name] { return area }
            throw FilesError(
                .unknownArea, path: "", message: "the program has given no area “\(name)”",
                remedy: "pass its files when the settings are opened: `files:`")
        }
    }
}
