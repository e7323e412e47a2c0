package import CleatAPI
package import CleatIO
internal import SystemPackage

/// The hooks in force, and the problems of the other files.
package struct HookSet: Sendable, Equatable {
    /// The hooks, in the order of their names.
    package var hooks: [Hook]
    /// The problems, in the order of the files' names; those of directories come first.
    package var problems: [HookProblem]

    /// Creates a set.
    package init(hooks: [Hook] = [], problems: [HookProblem] = []) {
        self.hooks = hooks
        self.problems = problems
    }

    /// The hook with a name; nil if none in force has it.
    package subscript(name: String) -> Hook? { hooks.first { $0.name == name } }

    /// Reads the files `*.json5` of some directories; if two have the same name, the one in the later directory is
    /// used.
    ///
    /// A directory that does not exist is skipped, as are names that begin with a dot or end in `~`, and files of other
    /// kinds. A file that is invalid, or that other users can write to, is skipped and listed as a problem; the others
    /// stay in force.
    ///
    /// A hook with `writePaths` is also skipped if `landlock` cannot enforce them, unless its `sandbox` is
    /// `best-effort`.
    package static func load(
        directories: [String], policy: TrustPolicy = .current(), landlock: Landlock = .current
    ) -> HookSet {
        var reading = Reading(directories: directories, policy: policy, landlock: landlock)
        while reading.next() {}
        return reading.set
    }

    /// Reads the files as ``load(directories:policy:landlock:)`` does, and yields to the loop after each file.
    package static func load(
        directories: [String], policy: TrustPolicy = .current(), landlock: Landlock = .current, on loop: EventLoop
    ) async -> HookSet {
        var reading = Reading(directories: directories, policy: policy, landlock: landlock)
        while reading.next() { await loop.yield() }
        return reading.set
    }

    /// Reads one file after another.
    private struct Reading {
        private let policy: TrustPolicy
        private let landlock: Landlock
        private var files: [(name: String, path: String)] = []
        private var bytes = 0
        var set = HookSet()

        init(directories: [String], policy: TrustPolicy, landlock: Landlock) {
            self.policy = policy
            self.landlock = landlock
            var files: [String: String] = [:]
            for directory in directories {
                do {
                    let names = try policy.names(
                        in: directory, suffix: suffix, byteLimit: HookLimits.directoryBytes, kind: "hooks")
                    for name in names { files[name] = directory + "/" + name }
                } catch {
                    if error.errno != .noSuchFileOrDirectory {
                        set.problems.append(HookProblem(file: directory, message: error.description))
                    }
                }
            }
            self.files = files.sortedByKey().reversed().map { ($0.key, $0.value) }
        }

        /// Reads the next file; returns false if there is none or a limit is reached.
        mutating func next() -> Bool {
            guard let (name, path) = files.popLast() else { return false }
            guard set.hooks.count < HookLimits.hooks, set.problems.count < HookLimits.problems else {
                let most =
                    set.hooks.count < HookLimits.hooks ? "\(HookLimits.problems) problems" : "\(HookLimits.hooks) hooks"
                set.problems.append(
                    HookProblem(
                        file: path, message: "there are more than \(most); this file and those after it are skipped"))
                return false
            }
            set.add(
                path, name: String(name.dropLast(suffix.count)), bytes: &bytes, policy: policy, landlock: landlock)
            return true
        }
    }

    private static let suffix = ".json5"

    private mutating func add(
        _ file: String, name: String, bytes: inout Int, policy: TrustPolicy, landlock: Landlock
    ) {
        guard Probe.isCommandName(name) else {
            problems.append(
                HookProblem(
                    file: HookFileNode.excerpt(file),
                    message:
                        "the name may have 1 to \(HookLimits.nameBytes) letters, digits and . _ - + @; rename the file")
            )
            return
        }
        do {
            let opened = try policy.open(file, for: .reading)
            let contents = try SmallFile.read(opened.descriptor.descriptor, upTo: HookLimits.fileBytes + 1)
            bytes += contents.count
            guard bytes <= HookLimits.allFilesBytes else {
                problems.append(
                    HookProblem(
                        file: file,
                        message:
                            "the hook files have more than \(HookLimits.allFilesBytes) bytes in all; this one is skipped"
                    ))
                bytes -= contents.count
                return
            }
            let decoded = try HookFile(contents, name: name, file: file)
            guard let hook = decoded.hook else { return }
            if let refusal = hook.sandbox?.refusal(by: landlock) {
                problems.append(
                    HookProblem(
                        file: file, line: decoded.sandboxPlace?.line, column: decoded.sandboxPlace?.column,
                        message: refusal))
                return
            }
            do {
                _ = try policy.open(hook.program, for: .running)
                hooks.append(hook)
            } catch {
                problems.append(
                    HookProblem(
                        file: file, line: decoded.programPlace.line, column: decoded.programPlace.column,
                        message: error.description))
            }
        } catch let error as HookFileError {
            problems.append(error.problem(in: file))
        } catch let error as TrustError {
            problems.append(HookProblem(file: file, message: error.description))
        } catch {
            problems.append(HookProblem(file: file, message: "\(file) cannot be read: \(error)"))
        }
    }
}
