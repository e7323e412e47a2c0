internal import CleatAPI
internal import CleatIO

/// A virtual link of the kernel by its name: its kind and its members; as a text that is empty if there is none.
struct VirtualLinkResource: TextResource {
    static let kind = "virtual-link"

    private let interface: String

    init(name: String) { interface = name }

    static func resource(named name: String?) -> Resource? {
        name.flatMap { $0.isEmpty || $0.utf8.contains(UInt8(ascii: "/")) ? nil : .virtualLink($0) }
    }

    var resource: Resource { .virtualLink(interface) }
    var name: String? { interface }
    var description: String { "the virtual interface \(interface)" }
    var isRuntimeState: Bool { true }

    func accepts(_ content: Memento.Content) -> Bool {
        content.plainText.map { $0.isEmpty || VirtualLink(String(decoding: $0, as: UTF8.self)) != nil } ?? false
    }

    func capture(on system: SystemResources) throws(ResourceError) -> Memento.Content {
        .text(Array((try link(on: system, .capture)?.description ?? "").utf8))
    }

    /// Returns the link with its members; nil if there is none.
    func link(on system: SystemResources, _ stage: ResourceError.Stage = .inspect) throws(ResourceError) -> VirtualLink?
    { try control(stage, system).virtualLink().link }

    func apply(
        _ state: ResourceState, of step: ResourceChange, origin: Memento?, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard case .text(let text) = state, let wanted = VirtualLink(text) else { throw misfit(.apply) }
        let control = control(.apply, system)
        let names = try control.virtualLink().names
        if let absence = wanted.absentParent(names) {
            return .skipped("\(absence) does not exist; it is made when that appears")
        }
        try control.bring(to: wanted)
        return .written
    }

    func restore(
        _ content: Memento.Content, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard let text = content.text else { throw misfit(.restore) }
        let wanted = VirtualLink(String(decoding: text, as: UTF8.self))
        let control = control(.restore, system)
        if let absence = wanted?.absentParent(try control.virtualLink().names) {
            return .skipped("\(absence) does not exist any more")
        }
        try control.bring(to: wanted)
        return .written
    }

    /// Returns true if the link is as wanted but for members that do not exist.
    func holds(_ state: ResourceState, on system: SystemResources) throws(ResourceError) -> Bool {
        guard case .text(let text) = state, let wanted = VirtualLink(text) else { return false }
        let (names, present) = try control(.inspect, system).virtualLink()
        if wanted.absentParent(names) != nil { return true }
        return present.map { wanted.isSame(as: $0, among: names) } ?? false
    }

    func missingRight(to step: ResourceChange, on system: SystemResources) -> String? {
        InterfaceResource(name: interface).missingRight(to: step, on: system)
    }

    func plan(
        _ planned: inout PlannedStep, from before: Memento, to goal: PlannedGoal, isSecret: Bool,
        on system: SystemResources
    ) throws(ResourceError) {
        func shown(_ text: [UInt8]?) -> [UInt8]? { text.map { $0.isEmpty ? Array("none".utf8) : $0 } }
        planned.compareValues(shown(before.content.text), shown(goal.text), isHidden: isSecret)
    }

    /// Returns the end of a sentence that begins with the interface's name; nil if the link is as wanted.
    ///
    /// A link without its parent, and members that do not exist, are not expected.
    func difference(from wanted: VirtualLink, on system: SystemResources) throws(ResourceError) -> String? {
        if try holds(.text(wanted.description), on: system) { return nil }
        return try link(on: system).map { "is “\($0)” instead of “\(wanted)”" } ?? "does not exist"
    }

    /// Returns the settings in which the link differs from a wanted one; members that do not exist are not expected.
    func differences(
        from wanted: VirtualLink, on system: SystemResources
    ) throws(ResourceError) -> [InterfaceDifference] {
        let (names, present) = try control(.inspect, system).virtualLink()
        guard let present, present.type == wanted.type else {
            let words = present.map { "is “\($0)” instead of “\(wanted)”" } ?? "does not exist"
            return [InterfaceDifference(words: words, setting: nil, adoption: .impossible("\(interface) \(words)"))]
        }
        var found = present
        var expected = wanted
        if wanted.hasPorts {
            // Ports that are not there now stay those of the link.
            found.members = (present.members + wanted.members.filter { !names.contains($0) }).sortedByBytes()
            expected.members = wanted.members.sortedByBytes()
        }
        return found.values.compactMap { key, value in
            guard let other = expected.values.first(where: { $0.key == key }), other.value != value else { return nil }
            return InterfaceDifference(
                words: "has \(key)=\(value) instead of \(other.value)",
                setting: InterfaceState.path(interface, key), adoption: .value(value))
        }
    }

    private func control(_ stage: ResourceError.Stage, _ system: SystemResources) -> InterfaceControl {
        InterfaceControl(kernel: system.kernel, name: interface, stage: stage)
    }
}

extension VirtualLink {
    /// Returns the parent of a VLAN that is not among the interfaces.
    fileprivate func absentParent(_ names: Set<String>) -> String? {
        hasPorts ? nil : members.first { !names.contains($0) }
    }

    /// Returns true if another link has the same kind, and those members that are among the interfaces.
    fileprivate func isSame(as other: VirtualLink, among names: Set<String>) -> Bool {
        kind == other.kind && Set(members).intersection(names) == Set(other.members)
    }
}
