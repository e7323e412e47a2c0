internal import Synchronization
internal import SystemPackage

/// Copies a file in parts, so that other work can run between them: by shared blocks (`FICLONE`) if the file system
/// supports them, else by `copy_file_range`, else by reading and writing.
///
/// The copy has at most the size that the file had when the copy was started. It becomes visible when it is committed;
/// if it is released before, nothing remains of it.
package final class FileCopy: Sendable {
    private enum Way: Sendable { case clone, range, bytes, done }

    private struct State: Sendable {
        var way = Way.clone
        var offset: Int64 = 0
    }

    private let reader: FileReader
    private let writer: FileWriter
    private let reservation: QuotaReservation
    private let calls: any SandboxCalls
    private let state = Mutex(State())

    /// The most bytes that are copied in one part.
    package static let partLimit = 1 << 20

    /// Opens the file, reserves space for the copy, and starts it.
    ///
    /// - Throws: `exists`, `quotaBytes`, or the reason why the source or the target could not be opened.
    package init(
        _ path: SandboxPath, in source: AreaRoot, to other: SandboxPath, in target: AreaRoot, replacing: Bool
    ) throws(SandboxError) {
        let (file, attributes) = try source.openFile(path, for: .read, "copy")
        let (directory, name) = try target.place(of: other, "copy")
        let replaced = try target.replaced(name, in: directory, other, attributes, "copy", replacing: replacing)
        reservation = try target.account.reserve(bytes: attributes.size, files: replaced == nil ? 1 : 0)
        reader = FileReader(root: source, path: path, file: file, attributes: attributes)
        writer = try FileWriter(
            root: target, path: other, permissions: .init(rawValue: CModeT(attributes.permissions)),
            owner: nil, reservation: reservation, replacing: replacing)
        calls = target.calls
    }

    /// The number of bytes copied so far.
    package var count: Int64 { state.withLock { $0.offset } }

    /// The number of bytes to copy.
    package var size: Int64 { reader.attributes.size }

    /// Copies the next part.
    ///
    /// - Returns: True if the copy is complete.
    /// - Throws: The reason why the copy failed; nothing remains of it then.
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

    /// Puts the copy in place.
    ///
    /// - Throws: The reason why the copy could not be committed.
    package func commit() throws(SandboxError) {
        try writer.commit()
        reservation.release()
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
                // The source may have grown since space was reserved for the copy.
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

    /// Returns true if the error means that this method of copying is not possible, though another may be.
    private static func meansElsewise(_ error: Errno) -> Bool {
        switch error {
        case .improperLink, .invalidArgument, .noFunction, .notSupported, .notPermitted, .inappropriateIOCTLForDevice,
            .textFileBusy, .badFileDescriptor:
            true
        default: false
        }
    }
}
