package import CleatAPI
package import CleatIO
internal import SystemPackage

/// The commands in force that check the board, and the problems of the other files.
package struct ProbeSet: Sendable, Equatable {
    /// The commands by their names.
    package var commands: [String: ProbeCommand] = [:]
    /// The problems, in the order of the files' names; those of directories come first.
    package var problems: [HookProblem] = []

    /// The largest number of commands, and of problems.
    private static let limit = 64
    /// The largest size of a file, in bytes.
    private static let fileBytes = 16 * 1024
    private static let suffix = ".json5"

    /// Makes an empty set.
    package init() {}

    /// Reads the files `*.json5` of some directories; if two have the same name, the one in the later directory is
    /// used.
    ///
    /// The files are trusted under the same rules as hook files: they and their programs belong to root or to the
    /// service's own user, and no other user can write to them. A file that is invalid or not trusted is skipped and
    /// listed as a problem.
    ///
    /// - Parameters:
    ///   - directories: their absolute paths, lowest priority first; one that does not exist is skipped.
    ///   - policy: the policy that decides which files are trusted.
    /// - Returns: the commands, and the problems of the other files.
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
        for (name, file) in files.sortedByKey() {
            guard set.commands.count < limit, set.problems.count < limit else {
                set.problems.append(
                    HookProblem(
                        file: file,
                        message:
                            "there are more than \(limit) probes or problems; this file and those after it are skipped"
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
            // An empty file, such as a link to /dev/null, masks a probe.
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
