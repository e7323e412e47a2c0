package import CleatAPI
package import CleatIO
internal import SystemPackage

/// Holds the commands that can be asked whether the board is well, and what is wrong with the files that are not.
package struct ProbeSet: Sendable, Hashable {
    /// The commands by their names.
    package var commands: [String: ProbeCommand] = [:]
    /// What is wrong with which file, in order of the files' names.
    package var problems: [HookProblem] = []

    /// The largest number of commands, and of problems.
    private static let limit = 64
    /// The largest file, in bytes.
    private static let fileBytes = 16 * 1024
    private static let suffix = ".json5"

    /// Makes an empty set.
    package init() {}

    /// Reads the files `*.json5` of some directories; of two with one name, that in the later directory counts.
    ///
    /// They are believed as those of hooks are: they and their programs belong to root or to the service's own user, and
    /// nobody else can write to them. A file that is broken or not believed is left out with its problem.
    ///
    /// - Parameters:
    ///   - directories: their absolute paths, lowest first; one that is not there holds nothing.
    ///   - policy: which files are believed.
    /// - Returns: the commands, and what is wrong with the other files.
    package static func load(directories: [String], policy: TrustPolicy = .current()) -> ProbeSet {
        var set = ProbeSet()
        var files: [String: String] = [:]
        for directory in directories {
            do {
                let names = try policy.names(
                    in: directory, suffix: suffix, byteLimit: HookLimits.directoryBytes, kind: "probes")
                for name in names { files[name] = directory + "/" + name }
            } catch {
                guard error.errno != .noSuchFileOrDirectory else { continue }
                set.problems.append(HookProblem(file: directory, message: error.description))
            }
        }
        for (name, file) in files.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            guard set.commands.count < limit, set.problems.count < limit else {
                set.problems.append(
                    HookProblem(
                        file: file,
                        message:
                            "there are more than \(limit) probes or problems; this file and those after it are left out"
                    ))
                break
            }
            set.add(file, name: String(name.dropLast(suffix.count)), policy)
        }
        return set
    }

    private mutating func add(_ file: String, name: String, _ policy: TrustPolicy) {
        guard Probe.isCommandName(name) else {
            problems.append(
                HookProblem(
                    file: HookFileNode.excerpt(file),
                    message:
                        "the name may have 1 to \(Probe.commandBytes) letters, digits and . _ - + @; rename the file"))
            return
        }
        do {
            let contents = try policy.contents(of: file, limit: Self.fileBytes)
            // A link to /dev/null stands for a probe that the administrator has taken away.
            if contents.isEmpty { return }
            let command = try ProbeCommand(contents, name: name, file: file)
            do throws(TrustError) {
                try policy.open(command.program, for: .running).descriptor.close()
                commands[name] = command
            } catch {
                problems.append(HookProblem(file: file, message: "its program cannot be run: \(error)"))
            }
        } catch let error as HookFileError {
            problems.append(error.problem(in: file))
        } catch {
            problems.append(HookProblem(file: file, message: "\(error)"))
        }
    }
}
