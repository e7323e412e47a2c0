import CleatVarlink

/// Generates Swift sources from interface descriptions.
enum Generator {
    /// One interface description.
    struct Source {
        /// The file's name.
        let file: String
        /// The file's text.
        let text: String
    }

    /// Generates the sources of all interfaces of a service, by file name.
    ///
    /// - Throws: ``GeneratorError`` with the name of the file.
    static func generate(_ sources: [Source]) throws(GeneratorError) -> [(file: String, text: String)] {
        var interfaces: [InterfaceModel] = []
        var files: [(file: String, text: String)] = []
        for source in sources.sorted(by: { $0.file < $1.file }) {
            let description: InterfaceDescription
            do throws(IDLError) {
                description = try InterfaceDescription(source.text)
            } catch {
                throw GeneratorError(source.file, "\(error)")
            }
            do throws(GeneratorError) {
                interfaces.append(try InterfaceModel(description))
            } catch {
                throw GeneratorError(source.file, "\(error)")
            }
        }
        try check(interfaces)
        for (interface, source) in zip(interfaces, sources.sorted(by: { $0.file < $1.file })) {
            files.append(("\(interface.swiftName).swift", SwiftWriter(interface, file: source.file).text))
        }
        files.append(("APIInterfaces.swift", SwiftWriter(listing: interfaces.filter(\.isOfService)).text))
        return files
    }

    /// Checks that a declaration that uses the Swift type of another one does not contradict it.
    private static func check(_ interfaces: [InterfaceModel]) throws(GeneratorError) {
        var structures: [String: Structure] = [:]
        var choices: [String: [String]] = [:]
        func register(_ structure: Structure, in scope: String?) {
            for name in [structure.name] + (scope.map { ["\($0).\(structure.name)"] } ?? []) {
                structures[name] = structure
                for enumeration in structure.members.compactMap(\.choices) {
                    choices["\(name).\(enumeration.name)"] = enumeration.choices.map(\.wireName)
                }
            }
        }
        for interface in interfaces {
            interface.structures.forEach { register($0, in: nil) }
            interface.shared.forEach { register($0.structure, in: interface.swiftName) }
            for enumeration in interface.enumerations {
                choices[enumeration.name] = enumeration.choices.map(\.wireName)
            }
        }
        for borrowed in interfaces.flatMap(\.borrowed) {
            switch borrowed {
            case .structure(let structure, let subject):
                guard let known = structures[structure.name], !known.includes(structure) else { continue }
                throw GeneratorError(subject, "the members are not those of the Swift type \(structure.name)")
            case .choices(let names, let type, let subject):
                guard let known = choices[type], known != names else { continue }
                throw GeneratorError(subject, "the choices are not those of the Swift type \(type)")
            }
        }
    }
}
