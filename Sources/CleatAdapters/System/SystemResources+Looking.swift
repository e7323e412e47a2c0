internal import CleatSandbox
internal import SystemPackage

extension SystemResources {
    /// Returns the fingerprint of a resource: a SHA-256 in 64 hexadecimal digits.
    ///
    /// It covers a file's bytes, mode and owner, or a kernel value's text.
    ///
    /// A fingerprint that was recorded right after a change shows later if the resource was changed outside Cleat.
    ///
    /// - Returns: the fingerprint; nil for a kernel value under a root directory, and for an interface.
    /// - Throws: the reason why the resource could not be read.
    package func fingerprint(of resource: Resource) throws(ResourceError) -> String? {
        guard isRunning || !resource.isKernels else { return nil }
        var bytes: [UInt8]
        switch resource {
        case .file(let path):
            do throws(SandboxError) {
                let content = try files.read(path)
                bytes = Array("file \(content.owner.user) \(content.owner.group) \(content.permissions)\n".utf8)
                bytes += content.bytes
            } catch {
                guard error.code == .notFound else { throw ResourceError(.look, resource, error) }
                bytes = Array("absent\n".utf8)
            }
        case .link(let path):
            let target = try managed(.look, resource) { files throws(SandboxError) in try files.linkTarget(path) }
            if let target {
                bytes = Array("link\n\(target)".utf8)
            } else {
                let kind = try kind(at: path)
                bytes = Array((kind.map { "no link but \($0)\n" } ?? "absent\n").utf8)
            }
        case .interface:
            // Other programs may extend an interface, so its whole state is no measure of drift.
            return nil
        case .document(let path):
            switch try look(atDocument: path, .look) {
            case .file(let content, let permissions, let owner):
                bytes = Array("document \(owner.user) \(owner.group) \(permissions)\n".utf8) + content
            case .absent: bytes = Array("absent\n".utf8)
            }
        case .line, .attribute, .hostName:
            let memento = try capture(resource, for: "")
            if case .bytes(let value) = memento.content {
                bytes = Array("text\n".utf8) + AttributeText.value(of: value)
            } else {
                bytes = Array("absent\n".utf8)
            }
        }
        return SHA256.hexadecimal(of: bytes)
    }

    /// Returns a kernel value as text; nil under a root directory, and if there is no such value.
    ///
    /// - Throws: the reason why it could not be read.
    package func value(ofAttribute path: String) throws(ResourceError) -> String? {
        guard isRunning else { return nil }
        do throws(Errno) {
            return String(decoding: AttributeText.value(of: try kernel.read(attribute: path)), as: UTF8.self)
        } catch {
            if Self.isAbsence(error) { return nil }
            throw ResourceError(.look, kernel: .attribute(path), error)
        }
    }

    private static func isAbsence(_ error: Errno) -> Bool {
        error == .noSuchFileOrDirectory || error == .notDirectory
    }

    /// Returns true if a resource is a value that the running kernel does not have, as of a removed device.
    ///
    /// A value that exists and cannot be read does not count.
    func isGone(_ resource: Resource) -> Bool {
        guard isRunning, case .attribute(let path) = resource else { return false }
        do throws(Errno) {
            _ = try kernel.read(attribute: path)
            return false
        } catch {
            return Self.isAbsence(error)
        }
    }

    /// Returns the right or kernel value that a step of a change lacks, as the end of a sentence with the remedy; nil
    /// if nothing is missing.
    ///
    /// It only checks: a full file system shows when the resource is written.
    package func missingRight(to step: SystemChange.Step) -> String? {
        let resource = step.resource
        if case .document(let path) = resource { return documentObstacle(path) }
        guard isRunning else { return nil }
        switch resource {
        case .document(let path): return documentObstacle(path)
        case .hostName:
            if (try? kernel.maySetHostName()) == true { return nil }
            return "needs the capability CAP_SYS_ADMIN to set the kernel's host name; "
                + "\(MissingRight.remedy()), or give --root to configure an image"
        case .interface(let name):
            if (try? kernel.mayConfigureNetwork()) == true { return nil }
            return "needs the capability CAP_NET_ADMIN to change \(name); \(MissingRight.remedy()), "
                + "or give --root to configure an image"
        case .attribute(let path): return attributeObstacle(path, isLetGo: step.bringsOriginBack || step.after == .kept)
        case .line(let path, let word) where lacks(line: word, of: path): return nil
        case .file(let path), .link(let path), .line(let path, _):
            do throws(SandboxError) {
                try files.checkWritable(path)
                return nil
            } catch {
                switch error.code {
                case .readOnly:
                    return
                        "needs to write \(path), which is on a file system that is mounted read-only; mount it writable"
                case .denied:
                    return
                        "needs to write \(path), which the system does not allow; \(MissingRight.remedy()), "
                        + "or give --root to configure an image"
                default: return "needs to write \(path): \(error.reason)"
                }
            }
        }
    }

    /// Returns true if a file has no line that begins with a word; none is written then.
    private func lacks(line word: String, of path: String) -> Bool {
        do throws(SandboxError) {
            return FileLine(word, in: try files.read(path).bytes) == nil
        } catch {
            return error.code == .notFound
        }
    }

    /// Returns the error for a setting whose value the kernel does not have.
    static func absence(of resource: Resource) -> String {
        "stands for \(resource), which this kernel does not have; check the name, and that its module is loaded"
    }

    /// Returns the reason why a kernel value cannot be written; nil if it can, or if it is gone and being released.
    private func attributeObstacle(_ path: String, isLetGo: Bool) -> String? {
        do throws(Errno) {
            _ = try kernel.read(attribute: path)
            return try kernel.mayWrite(attribute: path)
                ? nil : "needs to write \(path), which the system does not allow; \(MissingRight.remedy())"
        } catch {
            if Self.isAbsence(error) {
                return isLetGo ? nil : Self.absence(of: .attribute(path))
            }
            let reason = ResourceError(.look, kernel: .attribute(path), error).reason
            return "needs to read and write \(path): \(reason)"
        }
    }

    /// Returns the reason why an LED's brightness is not restored to 0; nil for other values and if no trigger is
    /// active.
    ///
    /// A brightness of 0 ends the trigger (Documentation/leds/leds-class.rst).
    func trigger(inChargeOf path: String, for value: [UInt8]) -> String? {
        guard path.hasPrefix("/sys/class/leds/"), path.hasSuffix("/brightness"), AttributeText.value(of: value) == [48],
            let trigger = try? self.value(ofAttribute: path.dropLast("brightness".utf8.count) + "trigger"),
            trigger != "none"
        else { return nil }
        return "its trigger, \(trigger), is in charge of it"
    }

    /// Returns the file steps that would fail.
    ///
    /// Either the directory is missing and no earlier step creates it, or the file was behind a link that points
    /// elsewhere now.
    ///
    /// - Parameters:
    ///   - steps: the steps, in the order in which they are applied.
    ///   - origins: the states to restore; a file that was absent needs no directory.
    /// - Returns: those steps, and the reasons, as ends of sentences with the remedy.
    func missingDirectories(
        of steps: [SystemChange.Step], origins: [Resource: Memento]
    ) -> [(step: SystemChange.Step, reason: String)] {
        var made: Set<String> = []
        var missing: [(step: SystemChange.Step, reason: String)] = []
        for step in steps {
            let path: String
            switch step.resource {
            case .file(let file), .link(let file): path = file
            default: continue
            }
            var origin: FileMemento?
            if step.bringsOriginBack {
                guard case .file(let file)? = origins[step.resource]?.content else { continue }
                if let reason = files.changedWay(of: file) {
                    missing.append((step, "needs to bring back \(path): \(reason)"))
                    continue
                }
                if file.isAbsence { continue }
                origin = file
            } else if step.after == .absent || step.after == .kept {
                continue
            }
            let directory = FilePath(path).removingLastComponent().string
            let lacked = files.missingDirectory(of: path, bringingBack: origin)
            if case .behindLink(let target) = lacked {
                missing.append(
                    (
                        step,
                        "needs \(path), a symbolic link to \(target), whose directory is not there; make that, or "
                            + "remove the link"
                    ))
            } else if files.makesParents(of: path) {
                var way = FilePath(directory)
                while made.insert(way.string).inserted, way.removeLastComponent() {}
            } else if lacked == .own, !made.contains(directory) {
                missing.append(
                    (
                        step,
                        "needs \(path), whose directory is not there; make it, or have the schema file say "
                            + "“makeDirectories”"
                    ))
            }
        }
        return missing
    }
}
