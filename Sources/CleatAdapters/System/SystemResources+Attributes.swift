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
}
