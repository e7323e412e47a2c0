internal import SystemPackage

extension TrustPolicy {
    /// Lists the names in a directory that end in `suffix` and do not begin with a dot, in no order.
    ///
    /// - Parameters:
    ///   - directory: The absolute path; the directory is checked with all directories above it.
    ///   - suffix: The ending of the names.
    ///   - byteLimit: The most bytes that all names in the directory may have.
    ///   - kind: The expected content, in the plural, for the error.
    /// - Returns: The names.
    /// - Throws: The reason why the directory is not trusted or cannot be listed; `noSuchFileOrDirectory` if it does
    ///   not exist.
    package func names(
        in directory: String, suffix: String, byteLimit: Int, kind: String
    ) throws(TrustError) -> [String] {
        let opened = try open(directory, for: .listing)
        do {
            let names = try DirectoryCalls.list(opened.descriptor.rawValue, byteLimit: byteLimit)
            return names.filter { $0.hasSuffix(suffix) && !$0.hasPrefix(".") }
        } catch {
            throw error == .argListTooLong
                ? TrustError(directory, error, "has too many entries; keep only \(kind) there")
                : TrustError(directory, error, "cannot be listed: \(error)")
        }
    }

    /// Reads a whole file; the administrator may replace a file of a layer by a link to `/dev/null` to mask it.
    ///
    /// - Parameters:
    ///   - path: The absolute path; the file is checked with all directories above it.
    ///   - limit: The most bytes that the file may have.
    ///   - purpose: The purpose of opening the file.
    /// - Returns: The bytes; none for a mask.
    /// - Throws: The reason why the file is not trusted or cannot be read.
    package func contents(
        of path: String, limit: Int, for purpose: Purpose = .layering
    ) throws(TrustError) -> [UInt8] {
        let file = try open(path, for: purpose)
        if file.isMask { return [] }
        let tooLarge = TrustError(path, .fileTooLarge, "has more than \(limit) bytes; shorten it")
        guard file.size <= UInt64(limit) else { throw tooLarge }
        let contents: [UInt8]
        do {
            contents = try SmallFile.read(file.descriptor.descriptor, upTo: limit + 1)
        } catch {
            throw TrustError(path, error, "cannot be read: \(error)")
        }
        guard contents.count <= limit else { throw tooLarge }
        return contents
    }
}
