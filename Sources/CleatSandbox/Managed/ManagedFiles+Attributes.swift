internal import CleatIO
internal import SystemPackage

extension ManagedFiles {
    /// Reads the extended attributes of a file, as far as this process may, sorted by the bytes of their names.
    ///
    /// - Throws: `fileTooLarge` where there are more, or larger ones, than a managed file may have.
    func attributes(of file: FileDescriptor) throws(Errno) -> [ExtendedAttribute] {
        let names: [FileName]
        do throws(Errno) {
            names = try calls.attributeNames(of: file)
        } catch {
            // Many file systems have none.
            if error == .notSupported { return [] }
            throw error
        }
        var found: [ExtendedAttribute] = []
        var bytes = 0
        for name in names.filter(ExtendedAttribute.isKept).sorted(by: {
            $0.bytes.lexicographicallyPrecedes($1.bytes)
        }) {
            guard let value = try value(of: name, file) else { continue }
            found.append(ExtendedAttribute(name: name, value: value))
            bytes += name.bytes.count + value.count
            guard found.count <= ExtendedAttribute.countLimit, bytes <= ExtendedAttribute.bytesLimit else {
                throw .fileTooLarge
            }
        }
        return found
    }

    /// Gives a file the extended attributes that another one had, as far as its file system has such.
    ///
    /// - Throws: why one could not be set.
    func set(_ wanted: [ExtendedAttribute], of file: FileDescriptor) throws(Errno) {
        for attribute in wanted where try value(of: attribute.name, file) != attribute.value {
            do throws(Errno) {
                try repeated { () throws(Errno) in try calls.setAttribute(attribute, of: file) }
            } catch {
                if error != .notSupported { throw error }
            }
        }
        // What the directory gives to every new file was not there.
        let list = ExtendedAttribute.accessList
        guard !wanted.contains(where: { $0.name == list }), try value(of: list, file) != nil else { return }
        try repeated { () throws(Errno) in try calls.removeAttribute(list, of: file) }
    }

    /// Reads one attribute; nil where it is not there, or not for this process.
    private func value(of name: FileName, _ file: FileDescriptor) throws(Errno) -> [UInt8]? {
        do throws(Errno) {
            return try repeated { () throws(Errno) in try calls.attribute(name, of: file) }
        } catch {
            switch error {
            case .noData, .notSupported, .notPermitted, .permissionDenied: return nil
            default: throw error
            }
        }
    }
}
