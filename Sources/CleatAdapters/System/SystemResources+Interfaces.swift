internal import SystemPackage

extension SystemResources {
    /// Returns the state of an interface of the running kernel; nil if there is none, and under a root directory.
    package func interface(_ name: String) throws(ResourceError) -> InterfaceSnapshot? {
        guard isRunning else { return nil }
        return try InterfaceControl(kernel: kernel, name: name, stage: .look).look()?.snapshot
    }

    /// Returns the differences between an interface and its desired state; nil if there is no such interface.
    func differences(
        of name: String, from state: InterfaceState
    ) throws(ResourceError) -> [InterfaceDifference]? {
        try interface(name).map { state.differences(of: name, in: $0) }
    }

    /// Returns the state of an interface for a memento; nil if there is none, as it may appear later.
    func capture(interface name: String) throws(ResourceError) -> InterfaceSnapshot? {
        try InterfaceControl(kernel: kernel, name: name, stage: .capture).look()?.snapshot
    }

    /// The reason why an interface that does not exist is skipped.
    package static let absenceOfInterface = "it is not here; it is configured when it appears"

    /// Brings an interface to a desired state.
    func apply(
        _ state: InterfaceState, to name: String, after former: InterfaceState?, origin: InterfaceSnapshot?
    ) throws(ResourceError) -> Outcome {
        let control = InterfaceControl(kernel: kernel, name: name, stage: .apply)
        guard let found = try control.look() else { return .skipped(Self.absenceOfInterface) }
        let target = state.target(of: name, over: found.snapshot, after: former, origin: origin)
        try control.bring(to: target, from: found, isExact: false, isRequired: state.isSaid)
        let missing = try control.look().map { state.missing(of: name, in: $0.snapshot) } ?? []
        guard missing.isEmpty else {
            throw ResourceError(
                .apply, .interface(name),
                reason: "the kernel took all, but it \(missing.joined(separator: ", ")); see who else configures it")
        }
        return .written
    }

    /// Removes all managed addresses of an interface; the kernel removes the routes that need them.
    func removeAddresses(of name: String) throws(ResourceError) {
        let control = InterfaceControl(kernel: kernel, name: name, stage: .apply)
        guard let found = try control.look() else { return }
        for address in found.snapshot.addresses { try control.remove(address, found.index) }
    }

    /// Restores a captured interface.
    func restore(_ snapshot: InterfaceSnapshot, to name: String) throws(ResourceError) -> Outcome {
        let control = InterfaceControl(kernel: kernel, name: name, stage: .restore)
        guard let found = try control.look() else { return .skipped("there is no such interface any more") }
        try control.bring(to: snapshot, from: found, isExact: true)
        return .written
    }

    /// Returns the captured state of an interface; nil if the memento is of another resource.
    static func snapshot(in memento: Memento?) -> InterfaceSnapshot? {
        guard case .bytes(let bytes) = memento?.content, case .interface = memento?.resource else { return nil }
        return InterfaceSnapshot(encoded: bytes)
    }
}
