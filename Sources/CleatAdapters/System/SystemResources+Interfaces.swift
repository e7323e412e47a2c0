internal import SystemPackage

extension SystemResources {
    /// Says what an interface of the running kernel is; nil where there is none, and under a root directory.
    package func interface(_ name: String) throws(ResourceError) -> InterfaceSnapshot? {
        guard isRunning else { return nil }
        return try InterfaceControl(kernel: kernel, name: name, stage: .look).look()?.snapshot
    }

    /// Says in what an interface is not what it shall be; nil where there is none.
    func differences(
        of name: String, from state: InterfaceState
    ) throws(ResourceError) -> [InterfaceDifference]? {
        try interface(name).map { state.differences(of: name, in: $0) }
    }

    /// What an interface is, for a memento; nil where there is none: it may be plugged in later.
    func capture(interface name: String) throws(ResourceError) -> InterfaceSnapshot? {
        try InterfaceControl(kernel: kernel, name: name, stage: .capture).look()?.snapshot
    }

    /// Why an interface is not touched that is not there.
    package static let absenceOfInterface = "it is not here; it is configured when it appears"

    /// Makes an interface what it shall be.
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

    /// Removes all addresses of an interface, as far as they are managed; routes by way of them go along.
    func removeAddresses(of name: String) throws(ResourceError) {
        let control = InterfaceControl(kernel: kernel, name: name, stage: .apply)
        guard let found = try control.look() else { return }
        for address in found.snapshot.addresses { try control.remove(address, found.index) }
    }

    /// Brings back what was captured of an interface.
    func restore(_ snapshot: InterfaceSnapshot, to name: String) throws(ResourceError) -> Outcome {
        let control = InterfaceControl(kernel: kernel, name: name, stage: .restore)
        guard let found = try control.look() else { return .skipped("there is no such interface any more") }
        try control.bring(to: snapshot, from: found, isExact: true)
        return .written
    }

    /// What is captured for a resource; nil where it is no interface.
    static func snapshot(in memento: Memento?) -> InterfaceSnapshot? {
        guard case .bytes(let bytes) = memento?.content, case .interface = memento?.resource else { return nil }
        return InterfaceSnapshot(encoded: bytes)
    }
}
