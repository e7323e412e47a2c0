import CleatAPI
import CleatAdapters
import CleatIO

extension SystemReconciler {
    /// True if programs take part in changes, or did, so that ``reconcilePrograms(_:)`` has to follow a start.
    var hasPrograms: Bool {
        get async {
            if !applier.adapters.programs.isEmpty { return true }
            return (try? await resources.all())?.keys.contains(where: \.isProgram) ?? false
        }
    }

    /// Asks the programs that a comparison is going to ask; without the write lock, since one of them may hang.
    ///
    /// - Parameter applier: The applier that the comparison is going to use; nil for the present one.
    func askPrograms(of applier: SystemApplier? = nil) async {
        let applier = applier ?? self.applier
        guard !applier.adapters.programs.isEmpty else { return }
        let known = (try? await resources.all())?.keys.filter(\.isProgram) ?? []
        let wanted = applier.adapters.managed(settings).map(\.resource).filter(\.isProgram)
        await applier.ask(Set(known + wanted))
    }

    /// Reconciles the states of programs at startup, after everything else: one that hangs holds up nothing.
    ///
    /// A program that does not answer yet, since its device is not there for instance, is asked again a few times.
    func reconcilePrograms(_ occasion: Reconciliation.Occasion) async {
        var actions: [[AdapterAction]]?
        await reconcile(
            occasion, isComplete: areSourcesComplete, scope: .programs(only: nil), postponed: &actions)
        if !programs.failing.isEmpty { programs.retries.start(live.services.now()) }
    }

    /// True if the automatic retry of programs is due.
    var isProgramRetryDue: Bool { programs.retries.next.map { $0 <= live.services.now() } ?? false }

    /// Reconciles the programs once more that have failed, if that is due.
    func retryPrograms() async {
        guard isProgramRetryDue else { return }
        guard transaction == nil else { return programs.retries.postpone(live.services.now()) }
        for (occasion, only) in programs.failing.groups {
            var actions: [[AdapterAction]]?
            await reconcile(
                occasion, isComplete: areSourcesComplete, scope: .programs(only: only), postponed: &actions)
        }
        programs.retries.advance(live.services.now(), isNeeded: !programs.failing.isEmpty)
    }
}

/// The sync status of programs.
struct ProgramStatus: Sendable {
    /// The drift that the last comparison has found.
    var drift: [Drift] = []
    /// The failures at the last start, or when the board's files were read again.
    var unfollowed: [AdapterResult] = []
    /// The automatic retries.
    var retries = RetrySchedule()
    /// The states of programs that could not be reconciled, with the occasion of that.
    private(set) var failing: [Resource: Reconciliation.Occasion] = [:]

    /// Removes findings, before the next ones are noted.
    ///
    /// - Parameters:
    ///   - resources: The states of programs; nil for all.
    ///   - drift: True to remove drift.
    ///   - failures: True to remove failures.
    mutating func forget(_ resources: Set<Resource>?, drift: Bool, failures: Bool) {
        func isMeant(_ resource: Resource) -> Bool { resources?.contains(resource) ?? true }
        if drift { self.drift.removeAll { isMeant($0.resource) } }
        guard failures else { return }
        unfollowed.removeAll { result in Resource(text: result.adapter).map(isMeant) ?? true }
        // The occasion of a program that fails again is that of its first failure.
        former = failing.filter { isMeant($0.key) }
        failing = failing.filter { !isMeant($0.key) }
    }

    /// The failing programs before the present comparison.
    private var former: [Resource: Reconciliation.Occasion] = [:]

    /// Notes the programs that could not be read.
    mutating func note(unreadable drift: [Drift], _ occasion: Reconciliation.Occasion) {
        for drift in drift {
            if case .unreadable = drift.kind { note(drift.resource, occasion) }
        }
    }

    /// Notes the programs that have failed.
    mutating func note(failing results: [AdapterResult], _ occasion: Reconciliation.Occasion) {
        for result in results { Resource(text: result.adapter).map { note($0, occasion) } }
    }

    private mutating func note(_ resource: Resource, _ occasion: Reconciliation.Occasion) {
        guard resource.isProgram, occasion.isStartup else { return }
        failing[resource] = former[resource] ?? occasion
    }
}

extension [Resource: Reconciliation.Occasion] {
    /// The states of programs by their occasions.
    fileprivate var groups: [Reconciliation.Occasion: Set<Resource>] {
        reduce(into: [:]) { $0[$1.value, default: []].insert($1.key) }
    }
}
