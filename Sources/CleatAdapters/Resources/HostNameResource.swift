internal import CleatAPI
internal import SystemPackage

/// The kernel's host name (`sethostname(2)`).
struct HostNameResource: TextResource {
    static let kind = "host-name"

    static func resource(named name: String?) -> Resource? { name == nil ? .hostName : nil }

    var resource: Resource { .hostName }
    var name: String? { nil }
    var description: String { "the kernel's host name" }
    var isRuntimeState: Bool { true }

    func accepts(_ content: Memento.Content) -> Bool { content.plainText != nil }

    func capture(on system: SystemResources) throws(ResourceError) -> Memento.Content {
        .text(try asked(.capture) { () throws(Errno) in try system.kernel.hostName() })
    }

    func apply(
        _ state: ResourceState, of step: ResourceChange, origin: Memento?, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard case .text(let text) = state else { throw misfit(.apply) }
        try asked(.apply) { () throws(Errno) in try system.kernel.setHostName(Array(text.utf8)) }
        return .written
    }

    func restore(
        _ content: Memento.Content, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard let name = content.text else { throw misfit(.restore) }
        try asked(.restore) { () throws(Errno) in try system.kernel.setHostName(name) }
        return .written
    }

    func missingRight(to step: ResourceChange, on system: SystemResources) -> String? {
        if (try? system.kernel.maySetHostName()) == true { return nil }
        return "needs the capability CAP_SYS_ADMIN to set the kernel's host name; "
            + "\(MissingRight.remedy()), or give --root to configure an image"
    }

    func plan(
        _ planned: inout PlannedStep, from before: Memento, to goal: PlannedGoal, isSecret: Bool,
        on system: SystemResources
    ) throws(ResourceError) {
        planned.compareValues(before.content.text, goal.text, isHidden: isSecret)
    }
}
