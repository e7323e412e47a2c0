import CleatSandbox
package import SystemPackage

extension StoreFile {
    /// Opens an in-memory fallback of a store whose own files cannot be opened: it serves the settings that can be
    /// read, and refuses changes.
    ///
    /// The settings are those of the store's main file if it can be read whole, else those of its second copy, else
    /// there are none. The store's own files are not changed, and stay locked against a second instance. If its file
    /// system is not mounted, nothing in its directory is read, and there are no settings.
    ///
    /// - Parameters:
    ///   - directory: the store's own directory.
    ///   - place: a directory in memory for the fallback; its content is deleted.
    ///   - cause: the reason why the store cannot be opened, with which every change is refused.
    ///   - stamp: the time of the generation that is written if the second copy is restored.
    ///   - limits: the bounds of the store.
    /// - Returns: the fallback; `opening` reports its source.
    /// - Throws: an error if another instance has the store open, or the fallback's directory cannot be used.
    package static func fallback(
        for directory: FilePath, in place: FilePath, because cause: StoreError, stamp: CommitStamp = .now(),
        limits: StoreLimits = StoreLimits()
    ) throws(StoreError) -> StoreFile {
        var former: StoreDirectory?
        var unread: [String] = []
        if cause.code != .notMounted {
            do throws(StoreError) {
                former = try StoreDirectory(directory)
            } catch {
                if error.code == .inUse { throw error }
                unread.append(error.description)
            }
        }
        try prepare(place, from: former, &unread)
        let file = try StoreFile(directory: place, stamp: stamp, limits: limits)
        file.original = former
        file.store.refusal = StoreError(
            cause.code, cause.subject,
            cause.code == .notMounted
                ? "Nothing was changed. \(cause.description)"
                : "Nothing was changed: the service works with a copy of its settings in memory since its start, because of "
                    + "this: \(cause.description) "
                    + (cause.code == .readOnly
                        ? "The service opens the store once its file system is mounted writable, or when it is started again."
                        : "Repair the storage, then start the service again."))
        file.opening.fallback = StoreOpening.Fallback(
            cause: cause.description, unread: unread, awaitsMount: cause.code == .notMounted,
            awaitsWriting: cause.code == .readOnly)
        return file
    }

    /// Throws if the store is an in-memory fallback.
    func checkChangeable() throws(StoreError) {
        if let refusal = store.refusal { throw refusal }
    }

    /// Empties the fallback's directory, and copies the readable files of the store to it.
    private static func prepare(
        _ place: FilePath, from former: StoreDirectory?, _ unread: inout [String]
    ) throws(StoreError) {
        // Its lock is released at the end of the function: the store that is opened there takes its own.
        let here = try StoreDirectory(place)
        do throws(Errno) {
            for name in try SystemFileCalls.names(in: here.descriptor) { here.remove(name) }
        } catch {
            throw StoreError(error, here.path, while: "list")
        }
        guard let former else { return }
        for names in [[StoreFormat.mainName, StoreFormat.logName], [StoreFormat.copyName], [StoreFormat.noteName]] {
            do throws(StoreError) {
                // A main file without its log might seem complete.
                for name in names { try former.copy(name, to: here) }
            } catch {
                unread.append(error.description)
                for name in names { here.remove(name) }
            }
        }
    }
}
