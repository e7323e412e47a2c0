import CleatHash
import CleatIO
import CleatSandbox
import SystemPackage

/// Makes and replaces files through the facade, by writes, by uploads and as managed files, appends to others, and
/// checks them after a cut.
///
/// Write N goes to place N modulo the number of places, and replaces the write of the round before, or is appended to
/// it; the content of a file shows its write.
struct FacadeSequence {
    private static let places: Int64 = 24
    private static let piece = 4096
    /// The number of rounds in which an appended place grows; then it is replaced.
    private static let growth: Int64 = 6

    private let files: SandboxedDirectory
    private let store: UploadStore
    private let managed: ManagedFiles

    /// Opens, or makes, an area and a root directory of managed files next to it, as the service does at startup.
    private init(_ directory: FilePath, calls: any ManagedFileCalls) throws {
        let root = try AreaRoot.open(directory.appending("documents"), area: .documents, calls: calls)
        files = SandboxedDirectory(root)
        store = try UploadStore(root)
        // The root of a system is there before anything of it is managed.
        _ = try AreaRoot.open(directory.appending("system"), area: .library, calls: calls)
        managed = try ManagedFiles(
            root: directory.appending("system"),
            declarations: [ManagedFileDeclaration("/etc/cleat/*.conf", makesParents: true)], calls: calls)
        try managed.sweep()
    }

    /// Writes for `seconds=` seconds or `writes=` times, or for ever, and prints each number once its file is durable.
    ///
    /// `after=` is the number of the last write of another run; `syncs=off` omits the flushes, for a control that must
    /// lose acknowledged writes.
    static func write(_ directory: FilePath, _ options: WriterOptions) {
        let seconds = options["seconds", default: 0]
        let writes = options["writes", default: .max]
        let start = BootTime.now().milliseconds
        do {
            let calls: any ManagedFileCalls = options["syncs"] == "off" ? UnflushedCalls() : SystemFileCalls()
            let sequence = try FacadeSequence(directory, calls: calls)
            StoreWriter.say("open 0")
            let first = options["after", default: 0]
            var number = first
            while number - first < writes, seconds == 0 || BootTime.now().milliseconds - start < seconds * 1000 {
                number += 1
                try sequence.put(number)
                StoreWriter.say("\(number)")
            }
            StoreWriter.say("done")
        } catch {
            StoreWriter.say("error \(error)")
        }
    }

    /// Checks all places; `acknowledged=` and `last=` as for a store.
    static func report(_ directory: FilePath, _ options: WriterOptions) -> String {
        var report = PowerReport()
        let acknowledged = options["acknowledged", default: 0]
        let last = options["last", default: .max]
        do {
            var sequence = try FacadeSequence(directory, calls: SystemFileCalls())
            report.done("opens")
            var newest: Int64 = 0
            for place in 0..<places {
                // The last write of this place that was acknowledged; before the first one there is none.
                let owed = acknowledged - (acknowledged - place % places + places) % places
                newest = max(newest, try sequence.check(place, owed: max(0, owed), last: last, &report))
            }
            report.found = newest
            report.done("acknowledged")
            report.done("whole")
            try sequence.checkRest(&report)
            report.done("nothing half")
            // Every place can be written again, also one with an interrupted write.
            for number in acknowledged + 1...acknowledged + 4 {
                try sequence.put(number)
                report.require(
                    try sequence.content(number % places) == text(number), .corrupt,
                    "write \(number) after the cut is not there")
            }
            sequence = try FacadeSequence(directory, calls: SystemFileCalls())
            report.require(sequence.store.uploads.isEmpty, .corrupt, "an upload is there that nobody has begun")
            report.done("goes on")
        } catch {
            report.problem(.corrupt, "\(error)")
        }
        return report.text
    }

    /// Writes what belongs to a number to its place.
    private func put(_ number: Int64) throws {
        let content = Self.text(number)
        let place = number % Self.places
        guard let path = try Self.path(place) else {
            return try managed.write(content, to: Self.managedPath(place), permissions: 0o640)
        }
        guard place % 4 == 2 else {
            if try !files.exists(path.parent) { try files.makeDirectory(path.parent) }
            let added = FileSequence.text(number)
            // If the former write was interrupted, the whole content is written.
            if added.count < content.count, try self.content(place) == Array(content.dropLast(added.count)) {
                return try files.append(added, to: path)
            }
            return try files.write(content, to: path)
        }
        let key = UploadKey(owner: 0, id: "upload-\(place)")
        let request = try UploadRequest(
            key: key, path: path, size: Int64(content.count), sha256: SHA256.hexadecimal(of: content))
        // An interrupted upload may have another write's content: it is aborted.
        var offset: Int64
        do throws(UploadError) {
            offset = try store.begin(request)
        } catch {
            guard error.code == .otherParameters else { throw error }
            try store.abort(key)
            offset = try store.begin(request)
        }
        while offset < content.count {
            offset = try store.write(key, at: offset, Array(content[Int(offset)...].prefix(Self.piece)))
        }
        while try store.commit(key) != .complete {}
    }

    /// Returns the content of a place; nil if there is no file.
    private func content(_ place: Int64) throws -> [UInt8]? {
        do {
            guard let path = try Self.path(place) else { return try managed.read(Self.managedPath(place)).bytes }
            return try files.read(path)
        } catch let error as SandboxError where error.code == .notFound {
            return nil
        }
    }

    private func check(_ place: Int64, owed: Int64, last: Int64, _ report: inout PowerReport) throws -> Int64 {
        guard let bytes = try content(place) else {
            report.require(owed == 0, .lost, "write \(owed) of place \(place) was acknowledged, but there is no file")
            return 0
        }
        guard let number = Self.number(of: bytes, in: place) else {
            let zeros = bytes.allSatisfy { $0 == 0 }
            report.problem(
                .corrupt, "the file of place \(place) is not whole: \(bytes.count) bytes\(zeros ? ", all zero" : "")")
            return 0
        }
        report.require(number >= owed, .lost, "write \(owed) was acknowledged, but its file is that of \(number)")
        report.require(
            number <= last && number % Self.places == place, .corrupt, "place \(place) holds write \(number)")
        return number
    }

    /// Checks that nothing remains of interrupted writes, except uploads that can continue.
    private func checkRest(_ report: inout PowerReport) throws {
        for upload in store.uploads {
            report.require(
                upload.received <= upload.size, .corrupt, "the upload “\(upload.key.id)” has more than was announced")
        }
        let counted = try files.root.account.usage()
        report.require(
            try files.root.account.usage(recounting: true) == counted, .corrupt, "the account is not that of the files")
    }

    /// Returns the content of a place after a write: its own text, or, in some places, also those of the writes before.
    private static func text(_ number: Int64) -> [UInt8] {
        guard grows(number % places) else { return FileSequence.text(number) }
        let first = number - number / places % growth * places
        return stride(from: first, through: number, by: Int(places)).flatMap { FileSequence.text($0) }
    }

    /// The last write of what a place holds; nil where it is not whole.
    private static func number(of bytes: [UInt8], in place: Int64) -> Int64? {
        guard grows(place) else { return FileSequence.number(of: bytes) }
        guard let number = Int64(String(decoding: bytes.suffix(13).prefix(12), as: UTF8.self)), number > 0 else {
            return nil
        }
        return number % places == place && text(number) == bytes ? number : nil
    }

    private static func grows(_ place: Int64) -> Bool { place % 8 == 4 || place % 8 == 5 }

    private static func path(_ place: Int64) throws -> SandboxPath? {
        switch place % 4 {
        case 0: try SandboxPath("file-\(place)")
        case 1: try SandboxPath("directory-\(place)/file")
        case 2: try SandboxPath("upload-\(place)")
        default: nil
        }
    }

    private static func managedPath(_ place: Int64) -> String { "/etc/cleat/\(place).conf" }
}
