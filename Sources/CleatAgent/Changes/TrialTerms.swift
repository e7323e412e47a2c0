import CleatAPI
import CleatHooks
import CleatIO
import CleatJSON
import CleatSettings

/// The confirm window and the probes of a request.
struct TrialTerms: Sendable {
    /// The confirm window in milliseconds; nil if the change is not on trial.
    let window: Int64?
    /// The probes that confirm the change.
    let probes: [Probe]

    /// Validates the terms of a request.
    ///
    /// - Parameters:
    ///   - confirm: The confirm window in milliseconds.
    ///   - until: The texts of the probes.
    ///   - layer: The layer that the change is made in.
    ///   - known: The probe files in force.
    /// - Throws: `APIError` with all problems.
    init(
        confirm: Int64?, until: [String]?, layer: ResolvedSetting.Origin = .committed, known: ProbeSet
    ) throws(APIError) {
        try Self.checkWindow(confirm, layer: layer)
        probes = try Self.probes(until, layer: layer, known)
        window = confirm ?? (probes.isEmpty ? nil : APILimits.probeWindow)
    }

    /// Validates the terms of a request about resources, which is a transaction only if it is on trial.
    ///
    /// - Parameters:
    ///   - id: The id that the caller has chosen.
    ///   - comment: The author's comment.
    ///   - confirm: The confirm window in milliseconds.
    ///   - until: The texts of the probes.
    ///   - known: The probe files in force.
    /// - Returns: The terms; nil if it is not on trial.
    /// - Throws: `APIError` with all problems, or for an id or a comment of a request that is not a transaction.
    static func forResources(
        id: String?, comment: String?, confirm: Int64?, until: [String]?, known: ProbeSet
    ) throws(APIError) -> TrialTerms? {
        guard confirm != nil || until != nil else {
            guard id != nil || comment != nil else { return nil }
            throw .refused(
                id == nil ? "comment" : "id", code: "confirm",
                "is valid only for a change on trial here; add --confirm, or omit it")
        }
        try SettingsPlan.checkWords(id: id, comment: comment)
        return try TrialTerms(confirm: confirm, until: until, known: known)
    }

    /// Refuses a confirm window that is out of range, or one for the volatile layer.
    ///
    /// - Parameters:
    ///   - window: The confirm window in milliseconds.
    ///   - layer: The layer that the change is made in.
    ///   - name: The parameter's name.
    /// - Throws: `APIError.invalidValue`.
    static func checkWindow(
        _ window: Int64?, layer: ResolvedSetting.Origin = .committed, named name: String = "confirm"
    ) throws(APIError) {
        guard let window else { return }
        guard layer == .committed else {
            throw .refused(
                "confirm", code: "confirm",
                "volatile changes end with the boot and cannot be on trial; omit --confirm or --volatile")
        }
        guard APILimits.window.contains(window) else {
            throw .refused(
                name, .integer(window), code: "range",
                "a change can be on trial for \(DurationText.text(milliseconds: APILimits.window.lowerBound)) to "
                    + "\(DurationText.text(milliseconds: APILimits.window.upperBound))")
        }
    }

    /// Parses the probes of a request.
    ///
    /// - Throws: `APIError` with all problems: invalid texts, unknown commands, too many probes, or a layer that cannot
    ///   be on trial.
    private static func probes(
        _ texts: [String]?, layer: ResolvedSetting.Origin, _ known: ProbeSet
    ) throws(APIError) -> [Probe] {
        guard let texts, !texts.isEmpty else { return [] }
        guard layer == .committed else {
            throw .refused(
                "until", code: "probe",
                "volatile changes end with the boot and cannot be on trial; omit --until or --volatile")
        }
        guard texts.count <= APILimits.probes else {
            throw .refused(
                "until", code: "probe", "\(texts.count) probes are more than the \(APILimits.probes) of one change")
        }
        var probes: [Probe] = []
        var problems: [RefusedChange] = []
        for text in texts {
            do throws(ProbeTextError) {
                let probe = try Probe(text)
                if case .command(let name) = probe.target, known.commands[name] == nil {
                    problems.append(
                        problem(
                            probe.description,
                            "\(probe) names no command in force: put \(name).json5 into probes.d and reload, or see "
                                + "'cleat status'"))
                } else if !probes.contains(probe) {
                    probes.append(probe)
                }
            } catch {
                problems.append(problem(error.excerpt, error.description))
            }
        }
        guard problems.isEmpty else { throw .invalidValue(problems) }
        return probes
    }

    private static func problem(_ text: String, _ reason: String) -> RefusedChange {
        RefusedChange(path: "until", value: .string(text), code: "probe", reason: reason)
    }
}

extension ProbeRunner {
    /// Checks each probe once before a change; returns nil if there is none.
    ///
    /// - Throws: `APIError` if one can never be checked here: it would prove nothing, and must not be treated as one
    ///   that did not hold before.
    func watch(beforeChange probes: [Probe]) async throws(APIError) -> ProbeWatch? {
        guard !probes.isEmpty else { return nil }
        let outcomes = await look(at: probes)
        let impossible = zip(probes, outcomes).filter { $0.1.isImpossible }
        guard impossible.isEmpty else {
            throw .invalidValue(
                impossible.map { probe, outcome in
                    RefusedChange(
                        path: "until", value: .string(probe.description), code: "probe",
                        reason: "\(probe) cannot be checked: \(outcome.message)")
                })
        }
        return ProbeWatch(probes, before: outcomes)
    }
}
