import CleatAPI
import CleatAdapters
import CleatIO
import CleatSettings
import CleatTemplates
import SystemPackage

/// Has programs check the new contents of files before these are written (`check` of a rule).
struct ContentCheck: Sendable {
    /// The directory for the contents, which only the service's user can read; in memory on a board.
    let directory: FilePath
    let runner: ActionRunner
    let worker: Worker

    /// Checks the contents of a change, one after the other.
    ///
    /// - Parameters:
    ///   - change: The change; only the steps that write a file are checked.
    ///   - adapters: The adapters of the change.
    ///   - isKnown: Returns true for a step whose content was checked before.
    /// - Returns: The problems: each names the setting, and quotes what the program has printed.
    func problems(
        of change: SystemChange, _ adapters: AdapterSet, knowing isKnown: (SystemChange.Step) -> Bool = { _ in false }
    ) async -> [SettingProblem] {
        var problems: [SettingProblem] = []
        for check in checks(of: change, adapters) where !isKnown(check.step) {
            guard let reason = await refusal(by: check) else { continue }
            let resource = check.step.resource
            // The user knows the file by its own path.
            let words = reason.substituting(check.place.string, by: resource.path ?? "")
            problems.append(
                SettingProblem(
                    path: check.step.path, value: nil, code: .system,
                    reason: "would write \(resource), whose new content was refused. \(words)"))
        }
        return problems
    }

    /// Returns a note for each content that is not checked, since programs are not run below a root directory.
    func omissions(of change: SystemChange, _ adapters: AdapterSet) -> [String] {
        checks(of: change, adapters).map {
            "\($0.command.program) does not check \($0.step.resource): programs are not run with --root."
        }
    }

    /// A content, the step that writes it, a file for it, and the program that checks it.
    private struct Check {
        let step: SystemChange.Step
        let bytes: [UInt8]
        let place: FilePath
        let command: ActionCommand
    }

    private func checks(of change: SystemChange, _ adapters: AdapterSet) -> [Check] {
        var checks: [Check] = []
        for part in change.parts {
            guard let adapter = adapters[part.adapter] as? any CheckingAdapter else { continue }
            for step in part.steps {
                guard case .file(let file) = step.after, let name = step.resource.path?.split(separator: "/").last
                else { continue }
                let place = directory.appending(String(name))
                guard let command = adapter.check(of: step.resource, at: place.string) else { continue }
                checks.append(Check(step: step, bytes: file.bytes, place: place, command: command))
            }
        }
        return checks
    }

    /// Writes a content to a file, has a program check it, and removes the file.
    ///
    /// - Returns: The reason why it is not accepted, a sentence; nil if it is.
    private func refusal(by check: Check) async -> String? {
        let (bytes, place) = (check.bytes, check.place)
        do {
            try await worker.run { [directory] in
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
        let results = await runner.run([.command(check.command)], stopsAtFailure: true)
        guard case .failed(let reason)? = results.first?.outcome else { return nil }
        return reason
    }
}
