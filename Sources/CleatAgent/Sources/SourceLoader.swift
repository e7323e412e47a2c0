import CleatAPI
import CleatIO
import CleatJSON
import CleatSettings
import CleatTemplates
import SystemPackage

/// Reads the board's files: schemas, the vendor's defaults, factory data, locks and adapters.
///
/// Of two files with one name the administrator's counts. A refused file does not disable another one: its former
/// contents stay in force, else the vendor's file of its name, else nothing.
struct SourceLoader: Sendable {
    /// The policy that decides whose files are trusted.
    let policy: TrustPolicy
    /// The directories of each kind, the vendor's first.
    let directories: [SourceKind: [FilePath]]
    /// The file with factory data.
    let factory: FilePath

    /// The directories in which no rule may write, as paths inside of the system.
    private let protected: [String]
    /// The directory of `passwd` and `group`.
    private let users: String

    /// Creates a loader for the paths of a service.
    init(paths: AgentPaths, factory: FilePath?, policy: TrustPolicy = .current()) {
        self.policy = policy
        directories = SourceKind.allCases.reduce(into: [:]) { $0[$1] = paths.directories($1.directory) }
        self.factory = paths.factory(named: factory)
        let own = [paths.state, paths.runtime, paths.config] + directories.values.joined()
        let root = paths.root?.string ?? ""
        protected = own.map { path in
            path.string.utf8.starts(with: (root + "/").utf8)
                ? String(path.string.utf8.dropFirst(root.utf8.count)) ?? "" : path.string
        }
        users = root + "/etc"
    }

    /// Reads all files.
    ///
    /// - Parameter former: The result of the last load; a file that is refused now keeps its former contents.
    /// - Returns: The contents in force, and the findings.
    func load(after former: LoadedSources = LoadedSources()) -> LoadedSources {
        // Rules name settings of all files, so a schema can be refused for its rules only when all schemas are loaded.
        var refused: [String: SourceRefusal] = [:]
        while true {
            var result = load(after: former, refused)
            let more = readRules(&result)
            if more.isEmpty { return result }
            refused.merge(more) { first, _ in first }
        }
    }

    private func load(after former: LoadedSources, _ refused: [String: SourceRefusal]) -> LoadedSources {
        var result = LoadedSources()
        each(.schema, former.schemas, into: &result) { path, bytes, old, result throws(SourceRefusal) in
            if bytes != nil, let refusal = refused[path] { throw refusal }
            try takeSchema(path, bytes, old, &result)
            if let bytes { result.unreadRules[path] = bytes } else { result.rules[path] = former.rules[path] }
        }
        result.hasDeprecated = result.sources.schema.hasDeprecated
        var factoryBytes = 0
        each(.defaults, former.values, into: &result) { path, bytes, old, result throws(SourceRefusal) in
            try takeValues(path, bytes, old, &result) { $0.vendor.append($1) }
        }
        readFactory(former, &factoryBytes, into: &result)
        each(.locks, former.locks, into: &result) { path, bytes, old, result throws(SourceRefusal) in
            let locks: [SettingLock]
            if let old { locks = old } else { locks = try LocksFile.read(bytes ?? [], file: path) }
            result.locks[path] = locks
            result.sources.locks += locks
        }
        each(.adapters, former.programs, into: &result) { path, bytes, old, result throws(SourceRefusal) in
            if let old { result.programs[path] = old }
            if let bytes { result.programs[path] = try ProgramFile.read(bytes, file: path, users: users) }
        }
        return result
    }

    /// Reads the rules of the schemas that are in force now.
    ///
    /// - Returns: The files whose rules are invalid; each of them is valid as a schema.
    private func readRules(_ result: inout LoadedSources) -> [String: SourceRefusal] {
        var refused: [String: SourceRefusal] = [:]
        for (path, bytes) in result.unreadRules {
            let directory = FilePath(path).removingLastComponent().string
            let context = ApplyContext(schema: result.sources.schema, protected: protected, users: users) {
                [policy] name throws(ApplyTemplateError) in
                do throws(TrustError) {
                    return try policy.contents(of: directory + "/" + name, limit: TemplateLimits.templateBytes)
                } catch {
                    throw ApplyTemplateError(error.description)
                }
            }
            do throws(ApplyErrors) {
                result.rules[path] = try ApplyRules.read(bytes, file: path, context: context)
            } catch {
                refused[path] = SourceRefusal(error)
            }
        }
        result.unreadRules = [:]
        return refused
    }

    private func takeSchema(
        _ path: String, _ bytes: [UInt8]?, _ old: Schema?, _ result: inout LoadedSources
    ) throws(SourceRefusal) {
        do throws(SchemaErrors) {
            let schema: Schema
            if let old {
                schema = old
            } else {
                // The rules are read on their own, once all schemas are known.
                schema = try SchemaText.read(bytes ?? [], without: ApplyRules.keyword, file: path)
            }
            do throws(SchemaErrors) {
                result.sources.schema = try result.sources.schema.merged(with: schema, from: path)
            } catch {
                guard let bytes else { throw error }
                throw SchemaText.located(error, in: bytes, file: path)
            }
            result.schemas[path] = schema
        } catch {
            throw SourceRefusal(error)
        }
    }

    private func takeValues(
        _ path: String, _ bytes: [UInt8]?, _ old: JSONValue?, _ result: inout LoadedSources,
        _ add: (inout SettingsSources, SettingsFile) -> Void
    ) throws(SourceRefusal) {
        let values: JSONValue
        if let old { values = old } else { values = try ValuesFile.read(bytes ?? []) }
        let file = SettingsFile(file: path, values: values)
        result.values[path] = values
        add(&result.sources, file)
        guard let bytes else { return }
        let places = ValuesFile.places(ofRefused: file, in: bytes, by: result.sources.schema)
        if !places.isEmpty { result.places[path] = places }
    }

    private func readFactory(_ former: LoadedSources, _ used: inout Int, into result: inout LoadedSources) {
        let path = factory.string
        do {
            let bytes = try read(path, &used)
            guard !bytes.isEmpty else { return }
            try takeValues(path, bytes, nil, &result) { $0.factory = $1 }
        } catch {
            if error.isMissing { return }
            guard let old = former.values[path] else {
                result.refuse(path, error, instead: "until then there is no factory data")
                return
            }
            result.refuse(path, error, instead: "its former content stays in force until the service ends")
            // Contents that were accepted before are accepted again.
            try? takeValues(path, nil, old, &result) { $0.factory = $1 }
        }
    }

    /// Loads the files of one kind in their order.
    ///
    /// `take` gets the bytes of a file, or its former contents; it throws if the file must be refused, and then has
    /// changed nothing.
    private func each<Content>(
        _ kind: SourceKind, _ former: [String: Content], into result: inout LoadedSources,
        _ take: (String, [UInt8]?, Content?, inout LoadedSources) throws(SourceRefusal) -> Void
    ) {
        let files = SourceFiles(kind, in: directories[kind] ?? [], policy: policy)
        for problem in files.problems {
            result.refuse(
                problem.path, SourceRefusal(problem.message),
                instead: "until then its files of \(kind.words) are not read")
        }
        var used = 0
        for candidates in files.candidates {
            var refused: [(path: String, refusal: SourceRefusal)] = []
            var instead = "until then it is not in force"
            search: for path in candidates.paths {
                do {
                    let bytes = try read(path, &used)
                    // An empty file sets nothing, and overrides the vendor's file of its name.
                    if !bytes.isEmpty { try take(path, bytes, nil, &result) }
                    if !refused.isEmpty { instead = "until then \(path) is in force instead" }
                    break
                } catch {
                    if error.isMissing { continue }
                    refused.append((path, error))
                    guard let old = former[path] else { continue }
                    do {
                        try take(path, nil, old, &result)
                        instead = "its former content stays in force until the service ends"
                        break search
                    } catch {
                        continue
                    }
                }
            }
            for (path, refusal) in refused { result.refuse(path, refusal, instead: instead) }
        }
    }

    private func read(_ path: String, _ used: inout Int) throws(SourceRefusal) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try policy.contents(of: path, limit: SourceLimits.fileBytes)
        } catch {
            throw SourceRefusal(error, of: path)
        }
        guard used + bytes.count <= SourceLimits.allFilesBytes else {
            throw SourceRefusal(
                "the files of its kind have more than \(SourceLimits.allFilesBytes) bytes together; make some smaller")
        }
        used += bytes.count
        return bytes
    }
}
