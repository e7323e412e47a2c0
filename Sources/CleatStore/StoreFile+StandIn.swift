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
        for names in [[StoreFormat.mainName, StoreFormat.logName], [StoreFormat.copyName], [StoreFormat.noteName]] {
            do throws(StoreError) {
                // A main file without its log might pass for all that there was.
                for name in names { try former.copy(name, to: here) }
            } catch {
                unread.append(error.description)
                for name in names { here.remove(name) }
            }
        }
    }
}

extension StoreDirectory {
    private static let pieceBytes = 64 << 10

    /// Copies a whole file, where there is one, a piece at a time.
    ///
    /// - Parameters:
    ///   - name: the file.
    ///   - other: where the copy goes, which replaces what is there.
    ///   - otherName: the copy's name; nil for the same.
    /// - Throws: that it is too large, or what the storage said.
    func copy(_ name: String, to other: StoreDirectory, as otherName: String? = nil) throws(StoreError) {
        guard let size = try size(of: name) else { return }
        let most = min(StoreLimits.standInBytes, (other.freeBytes ?? 0) / 2)
        guard size <= most else {
            throw StoreError(
                .limit, path(of: name),
                "“\(path(of: name))” was not copied, because it has \(size) bytes; at most \(most) bytes are."
            )
        }
        let target = try other.writing { () throws(DurableFileError) in
            try DurableWriter(to: otherName ?? name, in: other.descriptor, calls: SystemFileCalls())
        }
        var offset: Int64 = 0
        while offset < size {
            guard let piece = try head(of: name, count: Self.pieceBytes, writing: false, from: offset)?.bytes,
                !piece.isEmpty
            else { throw StoreError(.ioError, path(of: name), while: "read all of") }
            try other.writing { () throws(DurableFileError) in try target.write(piece) }
            offset += Int64(piece.count)
        }
        try other.writing { () throws(DurableFileError) in try target.commit(permissions: .ownerReadWrite, owner: nil) }
    }

    private func writing<Value>(_ body: () throws(DurableFileError) -> Value) throws(StoreError) -> Value {
        do throws(DurableFileError) {
            return try body()
        } catch {
            throw StoreError(error.cause, path(of: error.name), while: "copy the settings to")
        }
    }
}
