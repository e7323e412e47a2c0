import CleatAPI
import CleatJSON
import CleatOrder
import CleatSettings

/// Finds problems of the settings themselves.
struct SettingsDiagnosis {
    /// The problem of a row.
    private enum Trouble {
        case refused(SettingProblem)
        case locked(SettingLock)
        case deprecated
    }

    private static let layers: [ResolvedSetting.Origin] = [.committed, .volatile]

    let settings: LayeredSettings
    let loaded: LoadedSources

    /// The findings, in the order of the paths.
    var findings: [DoctorFinding] {
        var findings = inFiles + renames
        for layer in Self.layers {
            examine(layer) { path, trouble in findings.append(finding(of: trouble, at: path, layer)) }
        }
        return findings.enumerated().ordered { left, right in
            let (first, second) = (left.element.subject.utf8, right.element.subject.utf8)
            return first.elementsEqual(second) ? left.offset < right.offset : first.lexicographicallyPrecedes(second)
        }.map(\.element)
    }

    /// The findings for single values and locks in the board's files.
    var inFiles: [DoctorFinding] { refusedDefaults + locks }

    /// The number of findings, without formatting those of rows, and the values that are not in force.
    var health: SettingsHealth {
        var count = settings.sources.refused.count + locks.count
        count += settings.renamed.count + settings.renamedVolatile.count
        for layer in Self.layers { examine(layer) { _, _ in count += 1 } }
        return SettingsHealth(
            findings: count,
            inactive: Array(settings.inactive.keys).sortedPaths().prefix(SettingsHealth.inactiveLimit).map(\.text))
    }

    /// The findings for values in files of defaults and factory data that their schema refuses.
    private var refusedDefaults: [DoctorFinding] {
        settings.sources.refused.map { refused in
            let place = loaded.places[refused.file]?[refused.path]
            return DoctorFinding(
                kind: .refusedDefault, subject: refused.file, message: "\(refused.problem)",
                remedy: "correct the file, then run 'cleat reload'; the next lower layer is in force until then",
                line: place?.line, column: place?.column)
        }
    }

    /// The findings for locks of paths that no schema knows.
    private var locks: [DoctorFinding] {
        loaded.sources.locks.compactMap { lock in
            guard let path = lock.path, settings.schema.lookup(path) == nil else { return nil }
            let hint = settings.schema.suggestion(for: path).map { "; did you mean \($0)?" } ?? ""
            return DoctorFinding(
                kind: .configuration, subject: lock.file,
                message: "the lock of \(path) pins nothing: it is not a setting of this board\(hint)",
                remedy: "correct the path, or install the schema that has it, then run 'cleat reload'")
        }
    }

    /// The findings for settings that are stored, or kept until the next boot, under a former name.
    private var renames: [DoctorFinding] {
        settings.renamed.map { path, former in
            DoctorFinding(
                kind: .renamed, subject: path.text, message: "the value is stored under the former name \(former)",
                remedy: "nothing needs to be done: the next commit stores it under its present name")
        }
            + settings.renamedVolatile.map { path, former in
                DoctorFinding(
                    kind: .renamed, subject: path.text,
                    message: "the volatile value is kept under the former name \(former)",
                    remedy:
                        "nothing needs to be done: the next volatile change keeps it under its present name, and the "
                        + "next boot removes it")
            }
    }

    /// Reports the rows of one layer that are not in force, or are deprecated.
    private func examine(_ layer: ResolvedSetting.Origin, _ report: (SettingPath, Trouble) -> Void) {
        let inactive = layer == .committed ? settings.inactive : settings.inactiveVolatile
        for (path, problem) in inactive { report(path, .refused(problem)) }
        let hasLocks = !loaded.sources.locks.isEmpty
        guard hasLocks || loaded.hasDeprecated else { return }
        for row in settings[layer].joined where inactive[row.path] == nil {
            if hasLocks, let lock = settings.locks[row.path], lock.layer < layer { report(row.path, .locked(lock)) }
            if loaded.hasDeprecated, settings.schema.isDeprecated(row.path) { report(row.path, .deprecated) }
        }
    }

    private func finding(
        of trouble: Trouble, at path: SettingPath, _ layer: ResolvedSetting.Origin
    ) -> DoctorFinding {
        switch trouble {
        case .refused(let problem): refused(path, problem)
        case .locked(let lock): locked(path, layer, lock)
        case .deprecated: deprecated(path)
        }
    }

    private func refused(_ path: SettingPath, _ problem: SettingProblem) -> DoctorFinding {
        guard problem.code == .unknown else {
            return DoctorFinding(
                kind: .refusedValue, subject: path.text, message: "the stored value \(problem.reason)",
                remedy: "set another one ('cleat set \(path) …') or remove it ('cleat unset \(path)')")
        }
        return DoctorFinding(
            kind: .unknownSetting, subject: path.text,
            message: "a value is stored, but no schema defines the path",
            remedy: "install its schema again, or remove the value ('cleat unset \(path)')")
    }

    private func locked(
        _ path: SettingPath, _ layer: ResolvedSetting.Origin, _ lock: SettingLock
    ) -> DoctorFinding {
        DoctorFinding(
            kind: .locked, subject: path.text,
            message: "the \(layer.rawValue) value is not in force: \(lock.file) pins the path to \(lock.layer.words)",
            remedy: "remove the value ('cleat reset \(path)'), or change the file of the lock")
    }

    private func deprecated(_ path: SettingPath) -> DoctorFinding {
        DoctorFinding(
            kind: .deprecated, subject: path.text, message: "the setting is deprecated and should no longer be set",
            remedy: "see its replacement ('cleat describe \(path)'), then 'cleat unset \(path)'")
    }
}
