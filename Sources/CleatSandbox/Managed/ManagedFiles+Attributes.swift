internal import CleatIO
internal import SystemPackage

extension ManagedFiles {
    /// Reads the extended attributes of a file, as far as this process may, sorted by the bytes of their names.
    ///
    /// - Throws: `fileTooLarge` if their number or size exceeds the limit of a managed file.
    func attributes(of file: FileDescriptor) throws(Errno) -> [ExtendedAttribute] {
        let names: [FileName]
        do throws(Errno) {
            names = try calls.attributeNames(of: file)
        } catch {
            // Many file systems have no extended attributes.
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

    /// Sets the extended attributes of a captured file, as far as the file system supports them.
    ///
    /// - Throws: The reason why one could not be set.
    func set(_ wanted: [ExtendedAttribute], of file: FileDescriptor) throws(Errno) {
        for attribute in wanted where try value(of: attribute.name, file) != attribute.value {
            do throws(Errno) {
                try repeated { () throws(Errno) in try calls.setAttribute(attribute, of: file) }
            } catch {
                if error != .notSupported { throw error }
            }
        }
        // Removes the access list that the directory's default list has given to the new file, if the captured file had
        // none.
        let list = ExtendedAttribute.accessList
        guard !wanted.contains(where: { $0.name == list }), try value(of: list, file) != nil else { return }
        try repeated { () throws(Errno) in try calls.removeAttribute(list, of: file) }
    }

    /// Reads one attribute; returns nil if it does not exist, or this process may not read it.
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
