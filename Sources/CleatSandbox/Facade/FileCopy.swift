internal import Synchronization
internal import SystemPackage

/// Copies a file in parts, so that others get their turn between them: shared blocks (`FICLONE`) where the file system
/// can, else `copy_file_range`, else reading and writing.
///
/// What the file had when the copy was begun is copied. The copy is seen when it is committed; one that is let go before
/// leaves nothing.
package final class FileCopy: Sendable {
    private enum Way: Sendable { case clone, range, bytes, done }

    private struct State: Sendable {
        var way = Way.clone
        var offset: Int64 = 0
    }

    private let reader: FileReader
    private let writer: FileWriter
    private let promise: RoomPromise
    private let calls: any SandboxCalls
    private let state = Mutex(State())

    /// The most bytes that are copied in one part.
    package static let partLimit = 1 << 20

    /// Opens the file, keeps room for the copy, and begins it.
    ///
    /// - Throws: `exists`, `quotaBytes`, or why one of both could not be opened.
    package init(
        _ path: SandboxPath, in source: AreaRoot, to other: SandboxPath, in target: AreaRoot, replacing: Bool
    ) throws(SandboxError) {
        let (file, attributes) = try source.openFile(path, for: .read, "copy")
        let (directory, name) = try target.place(of: other, "copy")
        let replaced = try target.replaced(name, in: directory, other, attributes, "copy", replacing: replacing)
        promise = try target.account.promise(bytes: attributes.size, files: replaced == nil ? 1 : 0)
        reader = FileReader(root: source, path: path, file: file, attributes: attributes)
        writer = try FileWriter(
            root: target, path: other, permissions: .init(rawValue: CModeT(attributes.permissions)),
            owner: nil, promise: promise, replacing: replacing)
        calls = target.calls
    }

    /// How many bytes were copied.
    package var count: Int64 { state.withLock { $0.offset } }

    /// How many bytes there are to copy.
    package var size: Int64 { reader.attributes.size }

    /// Copies the next part.
    ///
    /// - Returns: whether all is copied.
    /// - Throws: why it could not be copied; nothing is left of the copy then.
    package func step() throws(SandboxError) -> Bool {
        var state = state.withLock { $0 }
        if state.offset >= size { state.way = .done }
        switch state.way {
        case .clone:
            state.way = try clone() ? .done : .range
            if state.way == .done { state.offset = writer.count }
        case .range:
            if let copied = try copyRange(from: state.offset), copied > 0 {
                state.offset += copied
            } else {
                state.way = .bytes
            }
        case .bytes:
            let part = try reader.read(at: state.offset, upTo: Int(min(Int64(Self.partLimit), size - state.offset)))
            if part.isEmpty { state.way = .done }
            try writer.write(part)
            state.offset += Int64(part.count)
        case .done: break
        }
        if state.offset >= size { state.way = .done }
        self.state.withLock { $0 = state }
        return state.way == .done
    }

    /// Puts the copy in its place.
    ///
    /// - Throws: why not.
    package func commit() throws(SandboxError) {
        try writer.commit()
        promise.release()
    }

    private func clone() throws(SandboxError) -> Bool {
        var isCloned = false
        _ = try writer.fill(upTo: size) { file throws(Errno) in
            do throws(Errno) {
                try reader.withFile { source throws(Errno) in
                    try repeated { () throws(Errno) in try calls.clone(source, to: file) }
                }
                isCloned = true
                let cloned = try calls.attributes(of: file).size
                // It may have grown since room was kept for it.
                if cloned > size { try calls.truncate(file, to: size) }
                return min(cloned, size)
            } catch {
                guard Self.meansElsewise(error) else { throw error }
                return 0
            }
        }
        return isCloned
    }

    private func copyRange(from offset: Int64) throws(SandboxError) -> Int64? {
        let count = Int(min(Int64(Self.partLimit), size - offset))
        var isRefused = false
        let copied = try writer.fill(upTo: Int64(count)) { file throws(Errno) in
            do throws(Errno) {
                return try reader.withFile { source throws(Errno) in
                    Int64(
                        try repeated { () throws(Errno) in
                            try calls.copy(source, at: offset, to: file, count: count)
                        })
                }
            } catch {
                guard Self.meansElsewise(error) else { throw error }
                isRefused = true
                return 0
            }
        }
        return isRefused ? nil : copied
    }

    /// Whether an error says that the files cannot be copied in this way, though perhaps in another.
    private static func meansElsewise(_ error: Errno) -> Bool {
        switch error {
        case .improperLink, .invalidArgument, .noFunction, .notSupported, .notPermitted, .inappropriateIOCTLForDevice,
            .textFileBusy, .badFileDescriptor:
            true
        default: false
        }
    }
}
