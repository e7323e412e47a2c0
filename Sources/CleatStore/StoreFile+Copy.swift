import CleatSandbox
import SystemPackage

extension StoreFile {
    /// Returns the time to wait before the second copy is due, in milliseconds; nil if no copy is needed.
    package func copyDelay(bootID: String, bootTime: Int64) -> Int64? {
        if refusal != nil { return nil }
        return copyPolicy.delay(for: generation, bootID: bootID, bootTime: bootTime)
    }

    /// Writes the second copy if it is due.
    ///
    /// - Returns: true if it was written.
    /// - Throws: the reason why it could not be written; the store itself is intact.
    @discardableResult
    package func writeCopyIfDue(_ stamp: CommitStamp) throws(StoreError) -> Bool {
        guard copyDelay(bootID: stamp.bootID, bootTime: stamp.bootTime) == 0 else { return false }
        try writeCopy(stamp)
        return true
    }

    func writeCopy(_ stamp: CommitStamp) throws(StoreError) {
        let database = try open()
        let header = SecondCopy.Header(generation: generation, bootID: stamp.bootID, bootTime: stamp.bootTime)
        var bytes = Array(SecondCopy.opening(header).utf8)
        var isFirst = true
        var sum = SettingsSum()
        try sqlite { () throws(SQLiteError) in
            let rows = try database.prepare("SELECT path, value FROM settings ORDER BY path")
            while try rows.step() {
                let (path, value): (String, String) = (try rows.column(0), try rows.column(1))
                SecondCopy.append(path, value, isFirst: isFirst, to: &bytes)
                sum.add(path, value)
                isFirst = false
            }
        }
        guard sum == settingsSum else {
            copyPolicy.failed = stamp.bootTime
            throw StoreError(
                .copyFailed, directory.path(of: StoreFormat.copyName),
                "The stored settings are damaged, so the second copy of them stays as it is; start the service again, and see "
                    + "'cleat doctor'.")
        }
        if isFirst { bytes.append(UInt8(ascii: "\n")) }
        SecondCopy.close(&bytes)
        do throws(DurableFileError) {
            try DurableFile.write(bytes, to: StoreFormat.copyName, in: directory.descriptor)
            copyPolicy.last = header
            copyPolicy.failed = nil
        } catch {
            copyPolicy.failed = stamp.bootTime
            throw StoreError(.copyFailed, directory.path(of: StoreFormat.copyName), error.description)
        }
        besideBytes &+= Int64(bytes.count)
        besideSyncs &+= 2
    }
}
