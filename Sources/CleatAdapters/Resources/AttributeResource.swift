internal import CleatAPI
internal import SystemPackage

/// A value of the kernel in a file of sysfs or of `/proc/sys`, written in place.
struct AttributeResource: TextResource {
    static let kind = "attribute"
    /// The directories of the values of interfaces.
    private static let interfaces = ["/sys/class/net/", "/proc/sys/net/ipv6/conf/"]

    let path: String

    static func resource(named name: String?) -> Resource? {
        name.flatMap { $0.utf8.first == UInt8(ascii: "/") ? .attribute($0) : nil }
    }

    var resource: Resource { .attribute(path) }
    var name: String? { path }
    var systemPath: String? { path }
    var description: String { path }
    var isRuntimeState: Bool { true }
    var reasonForNothing: String { "its former state is unknown: it did not exist at the time of the change" }

    func accepts(_ content: Memento.Content) -> Bool { content.text != nil }

    /// Captures the value, and the parameters of an LED's trigger.
    ///
    /// For an interface that does not exist it captures nothing: the interface may be configured before it appears.
    func capture(on system: SystemResources) throws(ResourceError) -> Memento.Content {
        let value: [UInt8]
        do throws(Errno) {
            value = try system.kernel.read(attribute: path)
        } catch {
            if error == .noSuchFileOrDirectory, Self.interfaces.contains(where: { path.hasPrefix($0) }) {
                return .nothing
            }
            throw ResourceError(.capture, kernel: resource, error)
        }
        return .text(value, parameters: try triggerParameters(of: value, on: system))
    }

    func apply(
        _ state: ResourceState, of step: ResourceChange, origin: Memento?, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard case .text(let text) = state else { throw misfit(.apply) }
        try asked(.apply) { () throws(Errno) in
            try system.kernel.write(Array(text.utf8) + [UInt8(ascii: "\n")], toAttribute: path)
        }
        return .written
    }

    /// Restores the value, and then the parameters of a trigger; the value of a removed device is skipped.
    func restore(
        _ content: Memento.Content, on system: SystemResources
    ) throws(ResourceError) -> SystemResources.Outcome {
        guard case .text(let value, let parameters) = content else { throw misfit(.restore) }
        if let reason = activeTrigger(insteadOf: value, on: system) { return .skipped(reason) }
        do throws(Errno) {
            try system.kernel.write(AttributeText.written(from: value), toAttribute: path)
        } catch {
            if error == .noSuchFileOrDirectory { return .skipped("it does not exist any more") }
            throw ResourceError(.restore, kernel: resource, error)
        }
        try restore(parameters, on: system)
        return .written
    }

    /// Returns the reason why the value cannot be written; nil if it can, or if it is gone and being released.
    func missingRight(to step: ResourceChange, on system: SystemResources) -> String? {
        do throws(Errno) {
            _ = try system.kernel.read(attribute: path)
            return try system.kernel.mayWrite(attribute: path)
                ? nil : "needs to write \(path), which the system does not allow; \(MissingRight.remedy())"
        } catch {
            if Self.isAbsence(error) {
                return step.restoresOrigin || step.after == .kept ? nil : SystemResources.absence(of: resource)
            }
            return "needs to read and write \(path): \(ResourceError(.inspect, kernel: resource, error).reason)"
        }
    }

    func plan(
        _ planned: inout PlannedStep, from before: Memento, to goal: PlannedGoal, isSecret: Bool,
        on system: SystemResources
    ) throws(ResourceError) {
        let isOpen = try isPublic(on: system)
        planned.compareValues(before.content.text, goal.text, isHidden: isSecret || !isOpen)
    }

    /// Returns true if all users may read the value.
    func isPublic(on system: SystemResources) throws(ResourceError) -> Bool {
        try asked(.inspect) { () throws(Errno) in try system.kernel.isPublic(attribute: path) }
    }

    /// Returns the value as text; nil if there is no such value.
    func value(on system: SystemResources) throws(ResourceError) -> String? {
        do throws(Errno) {
            return String(decoding: AttributeText.value(of: try system.kernel.read(attribute: path)), as: UTF8.self)
        } catch {
            if Self.isAbsence(error) { return nil }
            throw ResourceError(.inspect, kernel: resource, error)
        }
    }

    /// Returns true if the running kernel does not have the value, as that of a removed device.
    ///
    /// A value that exists and cannot be read does not count.
    func isGone(on system: SystemResources) -> Bool {
        do throws(Errno) {
            _ = try system.kernel.read(attribute: path)
            return false
        } catch {
            return Self.isAbsence(error)
        }
    }

    private static func isAbsence(_ error: Errno) -> Bool {
        error == .noSuchFileOrDirectory || error == .notDirectory
    }
}

extension AttributeResource {
    /// Returns the reason why an LED's brightness is not restored to 0; nil for other values and if no trigger is
    /// active.
    ///
    /// A brightness of 0 ends the trigger (Documentation/leds/leds-class.rst).
    private func activeTrigger(insteadOf value: [UInt8], on system: SystemResources) -> String? {
        guard path.hasPrefix("/sys/class/leds/"), path.hasSuffix("/brightness"), AttributeText.value(of: value) == [48],
            let trigger = try? system.value(ofAttribute: path.dropLast("brightness".utf8.count) + "trigger"),
            trigger != "none"
        else { return nil }
        return "its trigger, \(trigger), is in charge of it"
    }

    /// Returns the parameters of an LED's trigger; empty for any other attribute.
    private func triggerParameters(
        of value: [UInt8], on system: SystemResources
    ) throws(ResourceError) -> [TriggerParameter] {
        guard let directory = TriggerParameter.directory(ofTrigger: path) else { return [] }
        var parameters: [TriggerParameter] = []
        for name in TriggerParameter.names(of: value) {
            do throws(Errno) {
                parameters.append(
                    TriggerParameter(name: name, value: try system.kernel.read(attribute: directory + name)))
            } catch {
                // Older kernels have fewer parameters.
                if error == .noSuchFileOrDirectory { continue }
                throw failure(.capture, of: name, error)
            }
        }
        return parameters
    }

    /// Restores the parameters of a trigger after the trigger itself; unchanged ones are not written.
    private func restore(_ parameters: [TriggerParameter], on system: SystemResources) throws(ResourceError) {
        guard let directory = TriggerParameter.directory(ofTrigger: path) else { return }
        for parameter in parameters {
            let file = directory + parameter.name
            do throws(Errno) {
                let present = try system.kernel.read(attribute: file)
                guard AttributeText.value(of: present) != AttributeText.value(of: parameter.value) else { continue }
                try system.kernel.write(AttributeText.written(from: parameter.value), toAttribute: file)
            } catch {
                if error == .noSuchFileOrDirectory { continue }
                throw failure(.restore, of: parameter.name, error)
            }
        }
    }

    private func failure(_ stage: ResourceError.Stage, of name: String, _ error: Errno) -> ResourceError {
        let reason = ResourceError(stage, kernel: resource, error).reason
        return ResourceError(stage, resource, errno: error, reason: "its related value \(name): \(reason)")
    }
}
