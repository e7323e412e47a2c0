internal import SystemPackage

extension SystemResources {
    /// Returns the captured content of a kernel value.
    ///
    /// For an interface that does not exist it is nothing: the interface may be configured before it appears.
    func capture(attribute path: String) throws(ResourceError) -> Memento.Content {
        do throws(Errno) {
            return .bytes(try kernel.read(attribute: path))
        } catch {
            if path.hasPrefix("/sys/class/net/"), error == .noSuchFileOrDirectory { return .nothing }
            throw ResourceError(.capture, kernel: .attribute(path), error)
        }
    }

    /// Restores a kernel value.
    ///
    /// The value of a removed device is skipped.
    func restore(_ value: [UInt8], toAttribute path: String) throws(ResourceError) -> Outcome {
        do throws(Errno) {
            try kernel.write(AttributeText.written(from: value), toAttribute: path)
            return .written
        } catch {
            if error == .noSuchFileOrDirectory { return .skipped("it is not here any more") }
            throw ResourceError(.restore, kernel: .attribute(path), error)
        }
    }

    /// Returns the parameters of an LED's trigger; empty for any other resource.
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
                // Older kernels have fewer parameters.
                if error == .noSuchFileOrDirectory { continue }
                throw Self.failure(.capture, of: name, beside: resource, error)
            }
        }
        return parameters
    }

    /// Restores the parameters of a trigger after the trigger itself; unchanged ones are not written.
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
