import CleatAPI
import CleatAdapters
import CleatHooks
import CleatIO
import CleatJSON
import CleatObservers
import CleatOrder
import CleatSandbox
import CleatSettings
import CleatStore
import SystemPackage

/// Collects the findings of the doctor: problems that do not keep the service from running.
struct Doctor: Sendable {
    /// The notes and the unreadable rows of the store when it was opened.
    struct Store: Sendable {
        /// The store's file.
        var file: String
        /// The repairs and fallbacks at the opening, one sentence each.
        var notes: [String]
        /// The paths of rows that this release cannot read.
        var unreadable: [String]
        /// The file of volatile values, and the reason why its contents are lost; nil if they are not.
        var volatile: (file: String, problem: String?)
        /// True if the service follows the settings on this machine, and not below another root directory.
        var isOfMachine = true
        /// The clause that names the file system that the store waits for; nil if it is open.
        var missingMount: String?
    }

    let engine: SettingsEngine
    let observation: Observation
    let hooks: HookRunner
    let prober: ProbeRunner
    let files: FileAreas
    let store: Store
    /// The file of the service's own configuration, and the reason why it is not in force; nil if it is.
    let configuration: @Sendable () -> (file: String, problem: ConfigurationProblem?)
    /// The tokens of clients.
    let tokens: TokenAuthenticator
    /// The finding that the group of clients is missing; nil if it is not.
    var missingGroup: DoctorFinding?
    /// Returns the contents of the board's files.
    let loaded: @Sendable () -> LoadedSources

    /// The maximum number of findings in one reply, and their approximate maximum size in bytes.
    private static let limit = 1_024
    private static let byteLimit = 512 * 1_024

    /// Returns all findings: files first, then paths in the order of their bytes.
    ///
    /// The system is compared with the settings before.
    func findings() async -> [DoctorFinding] {
        await engine.refreshDrift()
        let settings = await engine.settings
        let loaded = loaded()
        return await besidesSettings() + SettingsDiagnosis(settings: settings, loaded: loaded).findings
    }

    /// Returns the number of findings and the values that are not in force.
    ///
    /// The settings are examined only if they have changed, or the board's files were read again, since the last time.
    func health() async -> SettingsHealth {
        var health = await engine.health { settings in
            // Loaded files are known before the settings follow them, and the settings change then.
            SettingsDiagnosis(settings: settings, loaded: loaded()).health
        }
        health.findings += await besidesSettings().count
        return health
    }

    /// Returns the findings in the files that ``Reloader`` reads, with those for single values in them.
    func findingsOfReload() async -> [DoctorFinding] {
        let settings = await engine.settings
        return await fileFindings() + SettingsDiagnosis(settings: settings, loaded: loaded()).inFiles
    }

    /// Returns the reason why the schema in a file is not in force; nil if it is.
    func reasonAgainstSchema(_ file: String) async -> String? {
        let findings = await findingsOfReload()
        if let finding = findings.first(where: { $0.subject == file }) { return finding.message }
        if loaded().schemas[file] != nil { return nil }
        return findings.first { file.utf8.starts(with: $0.subject.utf8) }?.message ?? "it was not read"
    }

    /// Returns the findings for whole files.
    private func fileFindings() async -> [DoctorFinding] {
        var findings = loaded().findings
        let (file, problem) = configuration()
        if let problem {
            findings.append(
                DoctorFinding(
                    kind: .configuration, subject: file, message: problem.message,
                    remedy: "correct the file, then run 'cleat reload'; the former settings stay in force",
                    line: problem.position?.line, column: problem.position?.column))
        }
        findings += tokens.findings
        for problem in await hooks.problems {
            findings.append(
                DoctorFinding(
                    kind: .hook, subject: problem.file, message: problem.message,
                    remedy: "correct the file, then run 'cleat reload'; the other hooks stay in force",
                    line: problem.line, column: problem.column))
        }
        for problem in prober.probes.problems {
            findings.append(
                DoctorFinding(
                    kind: .refusedFile, subject: problem.file, message: problem.message,
                    remedy: "correct the file, then run 'cleat reload'; the other probes stay in force",
                    line: problem.line, column: problem.column))
        }
        return findings
    }

    /// Returns the findings that are not about single settings.
    private func besidesSettings() async -> [DoctorFinding] {
        var findings = await fileFindings()
        if let missing = store.missingMount {
            findings.append(
                DoctorFinding(
                    kind: .store, subject: store.file,
                    message:
                        "is not there: \(missing). Until then the vendor's defaults are in force, the system stays as it is, "
                        + "and no changes are accepted",
                    remedy: "mount that file system; the service uses the store at once"))
        }
        // That explains these, too.
        let (areas, notes) = store.missingMount == nil ? (files.problems, store.notes) : ([], [])
        for area in areas {
            findings.append(
                DoctorFinding(
                    kind: .configuration, subject: "files/\(area.area.rawValue)", message: area.message,
                    remedy: "correct the area's directory, then restart the service"))
        }
        for observer in observation.observers {
            guard let problem = await observation.problem(of: observer) else { continue }
            findings.append(
                DoctorFinding(
                    kind: .configuration, subject: "events of \(observer.source.rawValue)", message: problem,
                    remedy: "correct that, then restart the service"))
        }
        for (hook, subject) in await hooks.paused {
            findings.append(
                DoctorFinding(
                    kind: .hook, subject: hook.file,
                    message: subject.map {
                        "is paused: its runs on \($0) trigger it again, through what its program changes in the kernel"
                    } ?? "is paused by a user",
                    remedy: (subject == nil ? "" : "let the program change only what differs, then ")
                        + "resume it with 'cleat hook resume \(hook.name)'"))
        }
        for (hook, seconds) in await hooks.limited {
            findings.append(
                DoctorFinding(
                    kind: .hook, subject: hook.file,
                    message:
                        "has been at its rate limit for \(seconds / 60) min: matching events arrive without a pause",
                    remedy:
                        "find their source with 'cleat events'; if the hook's own program causes them, let it change "
                        + "only what differs, or disable the hook with 'enabled: false' and 'cleat reload'"))
        }
        for note in notes {
            findings.append(
                DoctorFinding(
                    kind: .store, subject: store.file, message: note,
                    remedy: "check the settings ('cleat log', 'cleat diff')"))
        }
        if let problem = store.volatile.problem {
            findings.append(
                DoctorFinding(
                    kind: .store, subject: store.volatile.file, message: problem,
                    remedy: "set the missing values again; the finding ends with the next start of the service"))
        }
        for (path, reason) in await engine.unfollowedSettings {
            findings.append(
                DoctorFinding(
                    kind: .notFollowed, subject: path.text, message: "is stored, and \(reason)",
                    remedy: "remove it with 'cleat unset \(path.text)'"))
        }
        for (path, units) in await engine.rivalServices.ordered(by: { $0.key < $1.key }) {
            findings.append(
                DoctorFinding(
                    kind: .configuration, subject: path.text,
                    message: "can be applied by \(units.joined(separator: " and ")), which are both enabled",
                    remedy: "disable the one that is not used here with 'systemctl disable'"))
        }
        let status = await engine.status
        for failure in status.failures {
            findings.append(
                DoctorFinding(
                    kind: .notFollowed, subject: failure.adapter, message: failure.message,
                    remedy: "correct that, then repeat it with 'cleat reapply --all'"))
        }
        for drift in await engine.described(status.drift) {
            // Most sentences begin with the name.
            let message = drift.message.hasPrefix(drift.name + " ") ? drift.name.count + 1 : 0
            findings.append(
                DoctorFinding(
                    kind: .drift, subject: drift.name, message: String(drift.message.dropFirst(message)),
                    remedy: drift.remedy))
        }
        if let trial = await engine.failedRevert {
            findings.append(
                DoctorFinding(
                    kind: .store, subject: "change \(trial.id)",
                    message: "could not be reverted: \(trial.revert.failures.joined(separator: "; "))",
                    remedy: "correct that, then run 'cleat abort \(trial.id)' or restart the service"))
        } else if let failure = await engine.checkFailure {
            findings.append(
                DoctorFinding(
                    kind: .store, subject: store.file, message: "failed its check: \(failure)",
                    remedy: "restart the service, which then checks and repairs the store first"))
        } else if let failure = await engine.storeFailure, store.missingMount == nil {
            findings.append(
                DoctorFinding(
                    kind: .store, subject: store.file, message: "did not apply the last change: \(failure)",
                    remedy: "correct that; the finding ends with the next change, or a restart of the service"))
        }
        for path in store.unreadable {
            findings.append(
                DoctorFinding(
                    kind: .unreadableSetting, subject: path, message: "this release cannot read the stored row",
                    remedy: "run the release that wrote it, or set the path again"))
        }
        return findings
    }

    /// Returns a finding if the directory of the store was moved away; the check runs on the store's thread.
    private func movedStore() async -> [DoctorFinding] {
        if await engine.isStoreInPlace { return [] }
        let directory = FilePath(store.file).removingLastComponent()
        return [
            DoctorFinding(
                kind: .store, subject: directory.string,
                message:
                    "is not the directory any more that the service has open: that one was moved away or removed, and "
                    + "changes go there",
                remedy: "move the former directory back; or restart the service, which then starts from what is at "
                    + "\(directory)")
        ]
    }

    /// Returns findings if the store lies where a boot or an update can lose it, or where it may be mounted too late.
    private func storePlace() -> [DoctorFinding] {
        let directory = FilePath(store.file).removingLastComponent()
        guard store.isOfMachine, store.missingMount == nil,
            let opened = try? FileDescriptor.open(directory, .readOnly, options: [.directory, .closeOnExec])
        else { return [] }
        defer { try? opened.close() }
        guard let mounts = try? MountTable.read(),
            let fdinfo = try? SmallFile.text("/proc/self/fdinfo/\(opened.rawValue)", limit: 4096)
        else { return [] }
        let place = StorePlace(mounts: mounts)
        // A place that an administrator has chosen is accepted.
        let isUsual = directory.string == AgentPaths.usualState
        let losing = isUsual ? place.finding(for: directory, fdinfo: fdinfo, isThere: FileMoves.exists) : nil
        let late =
            FileMoves.isDirectory("/run/systemd/system")
            ? place.orderFinding(
                for: directory, fdinfo: fdinfo, table: (try? SmallFile.text("/etc/fstab", limit: 1 << 20)) ?? "",
                dropIns: dropIns()) : nil
        return [losing, late].compactMap(\.self)
    }

    /// Returns the contents of the drop-ins that an administrator has given the unit.
    private func dropIns() -> [String] {
        let names = (try? DirectoryNames.list(StorePlace.dropIns)) ?? []
        return names.compactMap { try? SmallFile.text("\(StorePlace.dropIns)/\($0)", limit: 64 << 10) }
    }

    /// Returns findings for files that another store has written: for instance with an overlay of `/etc` that outlives
    /// `/var`.
    private func unknownFiles() async -> [DoctorFinding] {
        await engine.unknownFiles().map { resource in
            DoctorFinding(
                kind: .drift, subject: resource.description,
                message:
                    "is marked as written by Cleat, and the store does not know it: its settings are lost, or of "
                    + "another store",
                remedy: "remove it: rm \(resource.description)")
        }
    }

    /// Returns as many findings as fit into one message.
    func reply() async -> SettingsInterface.Doctor.Reply {
        // A caller that only reads the status does not wait for the storage.
        let all = await findings() + [missingGroup].compactMap(\.self) + movedStore() + storePlace() + unknownFiles()
        let (findings, omitted) = Self.bounded(all)
        return SettingsInterface.Doctor.Reply(findings: findings, omitted: omitted)
    }

    /// Returns as many findings as fit into one message, and the number of further ones; nil if there are none.
    static func bounded(_ all: [DoctorFinding]) -> (findings: [DoctorFinding], omitted: Int?) {
        var bytes = 0
        let shown = all.prefix(limit).prefix { finding in
            bytes += finding.subject.utf8.count + finding.message.utf8.count + finding.remedy.utf8.count + 128
            return bytes <= byteLimit
        }
        return (Array(shown), shown.count < all.count ? all.count - shown.count : nil)
    }
}
