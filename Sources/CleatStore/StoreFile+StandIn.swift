import CleatSandbox
package import SystemPackage

extension StoreFile {
    /// Opens a copy, in memory, of a store whose own files cannot be opened: what can be read of them is served, and
    /// nothing is changed.
    ///
    /// The store's main file is taken where it can be read whole, else its second copy, else there are no settings. The
    /// store's own files are left alone, and locked against a second instance.
    ///
    /// - Parameters:
    ///   - directory: the store's own directory.
    ///   - place: a directory in memory for the copy; what is in it goes.
    ///   - cause: why the store cannot be opened, which is what every change is refused with.
    ///   - stamp: the time, for the generation that a second copy becomes.
    ///   - limits: what the store keeps and takes.
    /// - Returns: the copy; `opening` says what it could be made of.
    /// - Throws: that another instance has the store, or what stands in the way in the place itself.
    package static func standIn(
        for directory: FilePath, in place: FilePath, because cause: StoreError, stamp: CommitStamp = .now(),
        limits: StoreLimits = StoreLimits()
    ) throws(StoreError) -> StoreFile {
        var former: StoreDirectory?
        var unread: [String] = []
        do throws(StoreError) {
            former = try StoreDirectory(directory)
        } catch {
            if error.code == .inUse { throw error }
            unread.append(error.description)
        }
        try prepare(place, from: former, &unread)
        let file = try StoreFile(directory: place, stamp: stamp, limits: limits)
        file.original = former
        file.refusal = StoreError(
            cause.code, cause.subject,
            "Nothing was changed: the service works with a copy of its settings in memory since its start, because of this: "
                + "\(cause.description) Mend the storage, then start the service again.")
        file.opening.standIn = StoreOpening.StandIn(cause: cause.description, unread: unread)
        return file
    }

    /// Refuses where the store is only a copy in memory.
    func checkChangeable() throws(StoreError) {
        if let refusal { throw refusal }
    }

    /// Empties the place of a copy, and fills it with what can be read.
    private static func prepare(
        _ place: FilePath, from former: StoreDirectory?, _ unread: inout [String]
    ) throws(StoreError) {
        // The lock goes with it: the store that is opened there takes its own.
        let here = try StoreDirectory(place)
        do throws(Errno) {
            for name in try SystemFileCalls.names(in: here.descriptor) { here.remove(name) }
        } catch {
            throw StoreError(error, here.path, while: "look through")
        }
        guard let former else { return }
        for names in [[StoreFormat.mainName, StoreFormat.logName], [StoreFormat.copyName]] {
            do throws(StoreError) {
                // A main file without its log might pass for all that there was.
                for name in names { if let bytes = try former.whole(name) { try here.write(bytes, name) } }
            } catch {
                unread.append(error.description)
                for name in names { here.remove(name) }
            }
        }
    }
}

extension StoreDirectory {
    /// Reads a whole file; nil where there is none.
    fileprivate func whole(_ name: String) throws(StoreError) -> [UInt8]? {
        guard let size = try size(of: name) else { return nil }
        guard size <= StoreLimits.standInBytes else {
            throw StoreError(
                .limit, path(of: name),
                "“\(path(of: name))” was not copied to memory, because it has \(size) bytes; at most "
                    + "\(StoreLimits.standInBytes) bytes are.")
        }
        return try head(of: name, count: Int(clamping: size), writing: false)?.bytes
    }

    fileprivate func write(_ bytes: [UInt8], _ name: String) throws(StoreError) {
        do throws(DurableFileError) {
            try DurableFile.write(bytes, to: name, in: descriptor)
        } catch {
            throw StoreError(error.cause, path(of: name), while: "copy the settings to")
        }
    }
}
