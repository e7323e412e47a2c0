package import CleatIO
package import CleatSandbox

extension SystemResources {
    /// Returns the kind of the object at a path, with links followed; nil if there is none.
    package func kind(at path: String) throws(ResourceError) -> FileKind? {
        do throws(SandboxError) {
            return try files.kind(at: path)
        } catch {
            throw ResourceError(.inspect, .file(path), error)
        }
    }

    /// Reads the stamps of resources that are files at their own paths, by which later changes of them are recognised.
    ///
    /// - Returns: the stamps, in the order of the resources; nil for all others.
    package func stamps(of resources: [Resource]) -> [FileStamp?] {
        let places = resources.enumerated().compactMap { index, resource in
            if case .file(let path) = resource { (index, path) } else { nil }
        }
        var stamps = [FileStamp?](repeating: nil, count: resources.count)
        for ((index, _), stamp) in zip(places, files.stamps(of: places.map(\.1))) { stamps[index] = stamp }
        return stamps
    }

    /// Removes temporary files of interrupted writes next to the declared files.
    ///
    /// - Returns: the number of removed files.
    @discardableResult
    package func sweep() throws(ResourceError) -> Int {
        do throws(SandboxError) {
            return try files.sweep()
        } catch {
            throw ResourceError(.inspect, .file(error.path), error)
        }
    }

    /// Returns true if one of these paths exists.
    func isThere(_ paths: String...) throws(ResourceError) -> Bool {
        for path in paths where try kind(at: path) != nil { return true }
        return false
    }

    /// Returns the files that match a pattern.
    func paths(_ pattern: String) throws(ResourceError) -> [String] {
        do throws(SandboxError) {
            return try files.paths(of: ManagedFileDeclaration(pattern))
        } catch {
            throw ResourceError(.inspect, .file(pattern), error)
        }
    }

    /// Reads a link without managing it; nil if there is none.
    func linkTarget(of path: String) throws(ResourceError) -> String? {
        do throws(SandboxError) {
            return try files.declaring([ManagedFileDeclaration(path, isLink: true)]).linkTarget(path)
        } catch {
            if error.code == .notFound { return nil }
            throw ResourceError(.inspect, .link(path), error)
        }
    }

    /// Reads a file without managing it; nil if there is none.
    func text(of path: String) throws(ResourceError) -> String? {
        do throws(SandboxError) {
            let bytes = try files.declaring([ManagedFileDeclaration(path)]).read(path).bytes
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            if error.code == .notFound { return nil }
            throw ResourceError(.inspect, .file(path), error)
        }
    }

    /// Returns the files with Cleat's first line; files that cannot be read are omitted.
    ///
    /// - Parameter declared: the declarations of possible files.
    /// - Returns: their resources, sorted.
    package func filesOfCleat(_ declared: [ManagedFileDeclaration]) -> [Resource] {
        var found: [String] = []
        for declaration in declared where !declaration.isLink {
            let paths = (try? files.paths(of: declaration)) ?? []
            found += paths.filter { (try? files.capture($0))?.begins(with: WrittenByCleat.mark) ?? false }
        }
        return found.sortedByBytes().map { .file($0) }
    }
}

/// The first line of files that Cleat writes as a whole and owns.
///
/// If the store does not know such a file, its store was lost, as with an overlay of `/etc` that outlives `/var`. The
/// content from before Cleat is unknown then.
enum WrittenByCleat {
    /// The start of the line, followed by the setting that the file is made from.
    static let mark = "# Written by Cleat from "
}
