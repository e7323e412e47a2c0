internal import SystemPackage

extension SystemResources {
    /// What a value of the kernel's is, for a memento; nothing of an interface that is not plugged in: its service may be
    /// told of it before it comes.
    func capture(attribute path: String) throws(ResourceError) -> Memento.Content {
        do throws(Errno) {
            return .bytes(try kernel.read(attribute: path))
        } catch {
            if path.hasPrefix("/sys/class/net/"), error == .noSuchFileOrDirectory { return .nothing }
            throw ResourceError(.capture, kernel: .attribute(path), error)
        }
    }

    /// Brings a value of the kernel's back.
    ///
    /// One that has gone with its device has nothing to be brought back to.
    func restore(_ value: [UInt8], toAttribute path: String) throws(ResourceError) -> Outcome {
        do throws(Errno) {
            try kernel.write(AttributeText.written(from: value), toAttribute: path)
            return .written
        } catch {
            if error == .noSuchFileOrDirectory { return .skipped("it is not here any more") }
            throw ResourceError(.restore, kernel: .attribute(path), error)
        }
    }

    /// What goes and comes with the trigger of an LED, where the resource is one.
    func triggerParameters(
        of resource: Resource, _ content: Memento.Content
    ) throws(ResourceError) -> [TriggerParameter] {
        guard case .attribute(let path) = resource, case .bytes(let value) = content,
            let directory = TriggerParameter.directory(ofTrigger: path)
        else { return [] }
        var parameters: [TriggerParameter] = []
        for name in TriggerParameter.names(of: value) {
            do throws(Errno) {
                parameters.append(
                    TriggerParameter(name: name, value: try kernel.read(attribute: directory + name)))
            } catch {
                // Older kernels have fewer of them.
                if error == .noSuchFileOrDirectory { continue }
                throw Self.failure(.capture, of: name, beside: resource, error)
            }
        }
        return parameters
    }

    /// Brings back what goes and comes with a trigger, once the trigger is back; what is as it was is not written.
    func restore(
        _ parameters: [TriggerParameter], besideTrigger path: String
    ) throws(ResourceError) {
        guard let directory = TriggerParameter.directory(ofTrigger: path) else { return }
        for parameter in parameters {
            let file = directory + parameter.name
            do throws(Errno) {
                let present = try kernel.read(attribute: file)
                guard AttributeText.value(of: present) != AttributeText.value(of: parameter.value) else { continue }
                try kernel.write(AttributeText.written(from: parameter.value), toAttribute: file)
            } catch {
                if error == .noSuchFileOrDirectory { continue }
                throw Self.failure(.restore, of: parameter.name, beside: .attribute(path), error)
            }
        }
    }

    private static func failure(
        _ stage: ResourceError.Stage, of name: String, beside resource: Resource, _ error: Errno
    ) -> ResourceError {
        let reason = ResourceError(stage, kernel: resource, error).reason
        return ResourceError(stage, resource, errno: error, reason: "of what goes with it, \(name): \(reason)")
    }
}
