import CleatAPI
package import CleatIO
import CleatOrder
package import CleatSandbox
package import SystemPackage

/// Holds the file areas open, with their uploads, and the worker on which all work on files is done.
package final class FileAreas: Sendable {
    /// An area that is open.
    struct OpenArea: Sendable {
        let directory: SandboxedDirectory
        let uploads: UploadStore
        /// The absolute path of the directory: no secret, as all callers may read and list the areas.
        let location: FilePath

        /// Opens an area, and finds its uploads from a former run of the service.
        init(
            _ path: FilePath, _ area: Area, quota: Quota, log: CommitLog, calls: SystemFileCalls
        ) throws(SandboxError) {
            directory = SandboxedDirectory(try AreaRoot.open(path, area: area, quota: quota, calls: calls))
            uploads = try UploadStore(directory.root, log: log)
            location = path
        }
    }

    /// The worker that does the work.
    let worker: Worker
    private let areas: [Area: Result<OpenArea, SandboxError>]
    private let log: Result<CommitLog, SandboxError>
    /// True if a file system that is mounted later has them: the service starts again with it.
    private let isAwaited: Bool

    /// Opens the areas; every call that names one that cannot be opened reports the reason, and the others are served.
    ///
    /// - Parameters:
    ///   - directory: The directory that contains them, each under its name.
    ///   - obstacle: The reason why none of them can be opened, with the remedy; nil if they can.
    ///   - quotas: The quotas of the areas.
    ///   - counter: Counts what is written; nil for none.
    ///   - worker: The worker that does the work.
    package init(
        directory: FilePath, obstacle: SandboxError? = nil, quotas: [Area: Quota], counter: WriteCounter? = nil,
        worker: Worker
    ) {
        self.worker = worker
        let calls = SystemFileCalls(counting: counter)
        let log = Result { () throws(SandboxError) in
            if let obstacle { throw obstacle }
            return try CommitLog(in: directory, calls: calls)
        }
        var areas: [Area: Result<OpenArea, SandboxError>] = [:]
        for area in Area.allCases {
            let quota = quotas[area] ?? AgentConfiguration.standardQuota(area)
            areas[area] = Result { () throws(SandboxError) in
                let open = try OpenArea(
                    directory.appending(area.rawValue), area, quota: quota, log: try log.get(), calls: calls)
                // Expired uploads are removed now and when another one starts: no timer runs for it.
                _ = try? open.uploads.expire()
                return open
            }
        }
        self.areas = areas
        isAwaited = obstacle?.code == .notFound
        self.log = log
    }

    /// The problems of areas, one sentence each, sorted by the names of the areas.
    package var problems: [(area: Area, message: String)] {
        Area.allCases.ordered { $0.rawValue < $1.rawValue }.compactMap { area in
            guard case .failure(let error) = areas[area] else { return nil }
            return (area, "\(error)")
        }
    }

    /// Sets the quotas of the areas; existing files stay.
    package func setQuotas(_ quotas: [Area: Quota]) {
        for (area, opened) in areas {
            guard case .success(let open) = opened else { continue }
            open.directory.root.account.quota = quotas[area] ?? AgentConfiguration.standardQuota(area)
        }
    }

    /// The areas that are open.
    var open: [(area: Area, OpenArea)] {
        Area.allCases.compactMap { area in
            guard case .success(let open) = areas[area] else { return nil }
            return (area, open)
        }
    }

    /// Returns the directory of an area; nil if it could not be opened.
    package func directory(of area: Area) -> SandboxedDirectory? { try? areas[area]?.get().directory }

    /// Finds an area by the name that a caller has written.
    ///
    /// - Throws: `unknownArea`, or `areaUnavailable` with the reason.
    func area(_ name: String) throws(FilesError) -> OpenArea {
        guard let area = Area(rawValue: name), let opened = areas[area] else {
            throw FilesError(
                .unknownArea, area: String(name.prefix(64)),
                message: "there is no such area; the areas are "
                    + Area.allCases.map(\.rawValue).sortedByBytes().joined(separator: ", "))
        }
        switch opened {
        case .success(let open): return open
        case .failure(let error):
            throw FilesError(
                .areaUnavailable, area: name,
                message: "the area \(name) could not be opened when the service started: \(error)"
                    + (isAwaited ? "" : " Then start the service again."))
        }
    }

    /// Finds the area in which an upload was started; nil if there is none.
    func uploading(_ key: UploadKey) -> (area: Area, OpenArea, UploadStatus)? {
        for (area, open) in open {
            if let status = open.uploads.uploads.first(where: { $0.key == key }) { return (area, open, status) }
        }
        return nil
    }

    /// Forgets an upload that was committed: another one starts under its id.
    func forget(_ key: UploadKey) { try? log.get().forget(key) }

    /// Returns the upload that was recently committed, or about to be, under an id; nil if there is none.
    func committed(_ key: UploadKey) -> CommittedUpload? { try? log.get().find(key) }
}
