import CleatHash
import CleatIO
import SystemPackage

/// A mark in the state directory of the root file system that the settings were applied to last.
///
/// An update of an A/B system replaces the root file system, with its versions of the files that settings write. Two
/// things together show that: the root has another id or is on another device (statvfs(3), stat(2)), and it has another
/// os-release(5). A disk that is found in another order, or packages that were upgraded, change only one of them.
struct RootMark {
    /// The file system, and the contents of os-release.
    typealias Words = (fileSystem: String, release: String)

    private let file: FilePath
    private let present: Words

    /// Reads the present root.
    init(state: FilePath) {
        let release = (try? SmallFile.read("/etc/os-release", upTo: 64 << 10)) ?? []
        self.init(state: state, present: (Self.fileSystem, SHA256.hexadecimal(of: release)))
    }

    init(state: FilePath, present: Words) {
        file = state.appending("root.mark")
        self.present = present
    }

    private static var fileSystem: String {
        "\(FileMoves.fileSystem(of: "/").map { String($0, radix: 16) } ?? "unknown"):\(FileMoves.deviceNumbers(of: "/").map { $0.major == 0 ? 0 : $0.major << 32 | $0.minor } ?? 0)"
    }

    /// True if the settings were applied to the root file system of another image last.
    var isReplaced: Bool {
        guard let bytes = try? BoundedFile.read(file, limit: 256) else { return false }
        let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        return words.count == 2 && words[0] != present.fileSystem && words[1] != present.release
    }

    /// Writes the mark, unless it is there.
    ///
    /// - Throws: `FileError` if it could not be written.
    func put() throws(FileError) {
        let text = Array("\(present.fileSystem) \(present.release)\n".utf8)
        if try BoundedFile.read(file, limit: 256) == text { return }
        try BoundedFile.replace(file, with: text)
    }

    /// Returns true if a file, or the directory that it belongs in, comes from the image: it is on the root file system,
    /// or in memory, and not in an overlay or on a partition that outlasts an update.
    static func hasFile(_ path: FilePath, _ mounts: MountTable?) -> Bool {
        let directory = RequiredMounts.withoutLinks(path.removingLastComponent())
        if let mounts, let mount = mounts.mount(of: directory) {
            if mounts.memory(below: mount) != nil { return true }
            if mount.type == "overlay" { return false }
        }
        return FileMoves.device(of: directory) == FileMoves.device(of: "/")
    }
}
