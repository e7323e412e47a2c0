import CleatAPI
import CleatAdapters
import CleatIO
import CleatSettings
import CleatTemplates
import SystemPackage

/// Programs that check the new contents of files before these are written (`check` of a rule).
extension SystemApplier {
    /// Has programs check the contents of the files that a change writes, one after the other.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - paths: The settings that differ, of which a problem names the first one that a file is made from.
    ///   - known: The resources whose present desired states were checked before, with their fingerprints.
    /// - Returns: The problems, which name the setting and quote what the program has printed; and notes on what is not
    ///   checked, since programs are not run below a root directory.
    func refusals(
        of change: SystemChange, at paths: [SettingPath] = [], knowing known: [Resource: KnownResource] = [:]
    ) async -> (problems: [SettingProblem], notes: [String]) {
        var problems: [SettingProblem] = []
        var notes: [String] = []
        for part in change.parts {
            guard let adapter = adapters[part.adapter] as? any CheckingAdapter, let staging else { continue }
            for step in part.steps {
                guard case .file(let file) = step.after, let path = step.resource.path,
                    adapter.isChecked(step.resource), let name = path.split(separator: "/").last
                else { continue }
                let place = staging.appending(String(name))
                guard let command = adapter.check(of: step.resource, at: place.string),
                    step.after?.fingerprint != known[step.resource]?.wanted
                else { continue }
                guard isRunning else {
                    notes.append("\(command.program) does not check \(path): programs are not run with --root.")
                    continue
                }
                guard let reason = await refusal(of: file.bytes, at: place, in: staging, by: command) else { continue }
                let sources = adapter.knownSources(of: step.resource)
                let changed = paths.first { path in sources.contains { $0.isPrefix(of: path) } }
                problems.append(
                    SettingProblem(
                        path: changed ?? step.path, value: nil, code: .system,
                        // The user knows the file by its own path.
                        reason: "would write \(path), whose new content was refused. "
                            + reason.substituting(place.string, by: path)))
            }
        }
        return (problems, notes)
    }

    /// Writes a content to a file that only the service's user can read, has a program check it, and removes the file.
    ///
    /// - Returns: The reason why it is not accepted, a sentence; nil if it is.
    private func refusal(
        of bytes: [UInt8], at place: FilePath, in directory: FilePath, by command: ActionCommand
    ) async -> String? {
        do {
            try await worker.run {
                try FileMoves.makeDirectories(directory, mode: 0o700)
                FileMoves.remove(place)
                let file = try FileDescriptor.open(
                    place, .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                    permissions: .ownerReadWrite)
                try file.closeAfter { _ = try file.writeAll(bytes) }
            }
        } catch {
            return "It could not be written to \(place) for the check: \(error). Correct that, and try again"
        }
        defer { FileMoves.remove(place) }
        let results = await runner.run([.command(command)], stopsAtFailure: true)
        guard case .failed(let reason)? = results.first?.outcome else { return nil }
        return reason
    }
}
