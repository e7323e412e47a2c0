internal import SystemPackage

extension SystemResources {
    /// Says what an interface of the running kernel is; nil where there is none, and under a root directory.
    package func interface(_ name: String) throws(ResourceError) -> InterfaceSnapshot? {
        guard isRunning else { return nil }
        return try InterfaceControl(kernel: kernel, name: name, stage: .look).look()?.snapshot
    }

    func capture(interface name: String) throws(ResourceError) -> InterfaceSnapshot {
        let control = InterfaceControl(kernel: kernel, name: name, stage: .capture)
        guard let found = try control.look() else { throw Self.missing(name, .capture) }
        return found.snapshot
    }

    /// Makes an interface what it shall be.
    func apply(
        _ state: InterfaceState, to name: String, after former: InterfaceState?, origin: InterfaceSnapshot?
    ) throws(ResourceError) -> Outcome {
        let control = InterfaceControl(kernel: kernel, name: name, stage: .apply)
        guard let found = try control.look() else { throw Self.missing(name, .apply) }
        let target = state.target(of: name, over: found.snapshot, after: former, origin: origin)
        try control.bring(to: target, from: found, isExact: false)
        return .written
    }

    /// Brings back what was captured of an interface.
    func restore(_ snapshot: InterfaceSnapshot, to name: String) throws(ResourceError) -> Outcome {
        let control = InterfaceControl(kernel: kernel, name: name, stage: .restore)
        guard let found = try control.look() else { return .skipped("there is no such interface any more") }
        try control.bring(to: snapshot, from: found, isExact: true)
        return .written
    }

    private static func missing(_ name: String, _ stage: ResourceError.Stage) -> ResourceError {
        ResourceError(
            stage, .interface(name), reason: "there is no such interface; see “cleat links” for those that there are")
    }

    /// What is captured for a resource; nil where it is no interface.
    static func snapshot(in memento: Memento?) -> InterfaceSnapshot? {
        guard case .bytes(let bytes) = memento?.content, case .interface = memento?.resource else { return nil }
        return InterfaceSnapshot(encoded: bytes)
    }
}
