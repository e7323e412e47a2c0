internal import CleatIO
internal import SystemPackage

/// Goes through all of an area to count it, and at the start to sweep it; links are not followed, mounts not entered.
struct AreaWalk: Sendable {
    let area: Area
    let directory: Descriptor
    let calls: any SandboxCalls

    /// The deepest directory that is counted; the facade itself makes none below 16.
    static let depthLimit = 128

    /// Counts what the area holds.
    func count() throws(SandboxError) -> AreaUsage { try run(sweeps: false).usage }

    /// Takes the temporary files of cut-off writes away, and counts the rest.
    func sweep() throws(SandboxError) -> (usage: AreaUsage, swept: Int) { try run(sweeps: true) }

    private func run(sweeps: Bool) throws(SandboxError) -> (usage: AreaUsage, swept: Int) {
        do throws(Errno) {
            let device = try calls.attributes(of: directory.descriptor).identity.device
            var result = (usage: AreaUsage(), swept: 0)
            // Directories that are still to be listed, the deepest last: what is open at once is one chain.
            var chain = [Level(directory: directory)]
            while let level = chain.popLast() {
                var level = level
                if !level.isListed { try list(&level, on: device, sweeps: sweeps, into: &result) }
                guard let next = level.directories.popLast() else { continue }
                chain.append(level)
                guard chain.count < Self.depthLimit else { throw Errno.tooManySymbolicLinkLevels }
                do throws(Errno) {
                    let opened = try calls.open(next, in: level.directory.descriptor, for: .list)
                    chain.append(Level(directory: Descriptor(owning: opened)))
                } catch {
                    // It was removed or exchanged since it was listed.
                    guard error == .noSuchFileOrDirectory || error == .notDirectory else { throw error }
                }
            }
            return result
        } catch {
            let isDeep = error == .tooManySymbolicLinkLevels
            throw SandboxError(
                isDeep ? .tooMany : SandboxError.Code(error), "count", area: area, path: "", errno: error,
                detail: isDeep ? "it has directories more than \(Self.depthLimit) deep; remove them" : nil)
        }
    }

    private struct Level {
        let directory: Descriptor
        var directories: [FileName] = []
        var isListed = false
    }

    private func list(
        _ level: inout Level, on device: UInt64, sweeps: Bool, into result: inout (usage: AreaUsage, swept: Int)
    ) throws(Errno) {
        let directory = level.directory.descriptor
        var directories: [FileName] = []
        var usage = AreaUsage()
        var swept = 0
        var failure: Errno?
        try calls.names(in: directory) { name in
            do throws(Errno) {
                let attributes = try calls.attributes(of: name, in: directory)
                guard attributes.identity.device == device else { return true }
                if sweeps, name.isTemporary, attributes.type == .regular {
                    try calls.removeFile(name, in: directory)
                    swept += 1
                    return true
                }
                if attributes.type == .directory { directories.append(name) }
                let bytes = attributes.type == .regular ? attributes.size : 0
                // A temporary file stands for one that has been counted, or for which room is kept.
                usage = usage + AreaUsage(bytes: bytes, files: name.isTemporary ? 0 : 1)
                return true
            } catch {
                if error == .noSuchFileOrDirectory { return true }
                failure = error
                return false
            }
        }
        if let failure { throw failure }
        level.directories = directories
        level.isListed = true
        result.usage = result.usage + usage
        result.swept += swept
    }
}
