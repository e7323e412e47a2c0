internal import CleatAPI
internal import CleatJSON
internal import CleatObservers
import CleatOrder
internal import CleatSettings

/// The parsed contents of a hook file.
///
/// The file is one JSON5 object. It needs `match` and `run`; `timeout`, `debounce`, `debounceLimit`, `rate`,
/// `concurrency`, `writePaths`, `sandbox`, `user`, `limits`, `directory`, `environment`, `comment` and `enabled` are
/// optional, and with `enabled: false` all members are. An unknown member is an error that names it.
package struct HookFile: Sendable, Equatable {
    /// The hook; nil if the file disables it.
    package let hook: Hook?
    /// The position of the program's path; if there is none, that of the object.
    package let programPlace: Place
    /// The position of `writePaths`; nil if the file has none.
    package let sandboxPlace: Place?

    /// A position in a file.
    package struct Place: Sendable, Hashable {
        /// The line, from 1.
        package var line: Int
        /// The column, from 1.
        package var column: Int
    }

    /// Parses a file's contents; `name` is its name without `.json5`, and `file` its path, for messages.
    package init(_ bytes: [UInt8], name: String, file: String) throws(HookFileError) {
        let start = JSONPosition(line: 1, column: 1)
        guard bytes.count <= HookLimits.fileBytes else {
            throw HookFileError(at: start, "the file has more than \(HookLimits.fileBytes) bytes; shorten it")
        }
        let document: (value: JSONValue, locations: JSONLocations)
        do {
            document = try JSONReader.readWithLocations(bytes, dialect: .json5)
        } catch {
            throw HookFileError(at: error.position, error.message)
        }
        let top = HookFileNode(value: document.value, pointer: [], locations: document.locations)
        try top.checkMembers(
            [
                "match", "run", "timeout", "debounce", "debounceLimit", "rate", "concurrency", "writePaths", "sandbox",
                "comment", "enabled",
            ] + HookProcess.members)
        let isEnabled = try top.member("enabled")?.boolean() ?? true
        let comment = try top.member("comment")?.string()
        let match = try top.member("match").map { node throws(HookFileError) in try HookFile.filter(node) }
        let run = try top.member("run")
        let command = try run.map { node throws(HookFileError) in try HookFile.command(node) }
        let timeout = try top.member("timeout")?.milliseconds(in: 1...HookLimits.longestTimeout)
        let pace = try HookFile.pace(top)
        let sandbox = try HookFile.sandbox(top)
        let process = try HookProcess(top)
        sandboxPlace = try top.member("writePaths").map { Place(line: $0.position.line, column: $0.position.column) }
        let place = try run?.elements().first?.position ?? top.position
        programPlace = Place(line: place.line, column: place.column)
        guard isEnabled else {
            hook = nil
            return
        }
        guard let match else {
            throw HookFileError(at: top.position, "match is missing; say which events the hook runs on")
        }
        guard let command else {
            throw HookFileError(
                at: top.position, "run is missing; name the program and its arguments, as in run: [\"/bin/true\"]")
        }
        hook = Hook(
            name: name, file: file, comment: comment, filter: match, command: command,
            timeout: timeout ?? HookLimits.timeout, pace: pace, sandbox: sandbox, process: process)
    }

    private static func filter(_ node: HookFileNode) throws(HookFileError) -> HookFilter {
        try node.checkMembers(["source", "action", "subject", "properties"])
        var filter = HookFilter()
        if let source = try node.member("source") {
            let pattern = try source.glob()
            guard EventSource.allCases.contains(where: { pattern.matches($0.rawValue) }) else {
                let sources = EventSource.allCases.map(\.rawValue).joined(separator: ", ")
                throw HookFileError(at: source.position, "no source is called \(pattern); the sources are \(sources)")
            }
            filter.source = pattern
        }
        filter.action = try node.member("action")?.glob()
        filter.subject = try node.member("subject")?.glob()
        if let properties = try node.member("properties") {
            let members = try properties.members()
            guard members.count <= HookLimits.properties else {
                throw HookFileError(
                    at: properties.position, "properties has more than \(HookLimits.properties) members; remove some"
                )
            }
            for (name, value) in members {
                filter.properties.append(.init(name: name, pattern: try value.glob()))
            }
            filter.properties = filter.properties.ordered { $0.name < $1.name }
        }
        if filter.namesApps, !filter.namesEmitter {
            throw HookFileError(
                at: node.position,
                "a hook on events of programs has to name the emitter, since any member of the group cleat can emit "
                    + "them; add properties: { \(AppEvent.uidProperty): \"0\" } with a uid, or \(AppEvent.userProperty) "
                    + "with the name of a user")
        }
        if filter == HookFilter() {
            throw HookFileError(
                at: node.position,
                "match has no condition; for every event of every source write match: { source: \"*\" }")
        }
        return filter
    }

    /// Reads a program's absolute path and its arguments.
    static func command(_ node: HookFileNode) throws(HookFileError) -> [String] {
        let elements = try node.elements()
        guard elements.count <= HookLimits.arguments else {
            throw HookFileError(
                at: node.position, "run has more than \(HookLimits.arguments) elements; put them into a script")
        }
        var command: [String] = []
        for element in elements {
            let argument = try element.string()
            guard argument.utf8.count <= HookLimits.argumentBytes else {
                throw HookFileError(
                    at: element.position,
                    "the argument has more than \(HookLimits.argumentBytes) bytes; put it into a file or a script")
            }
            guard !argument.utf8.contains(0) else {
                throw HookFileError(at: element.position, "the argument holds a NUL character; remove it")
            }
            command.append(argument)
        }
        guard let program = command.first, let first = elements.first else {
            throw HookFileError(at: node.position, "run is empty; its first element is the program's absolute path")
        }
        guard program.utf8.first == UInt8(ascii: "/") else {
            throw HookFileError(
                at: first.position,
                "the program \(HookFileNode.excerpt(program)) is not an absolute path; write it in full, as in /bin/sh")
        }
        return command
    }

    private static func sandbox(_ top: HookFileNode) throws(HookFileError) -> HookSandbox? {
        let mode = try top.member("sandbox")
        let isRequired: Bool
        switch try mode?.string() {
        case nil, "required": isRequired = true
        case "best-effort": isRequired = false
        default:
            throw HookFileError(at: (mode ?? top).position, "sandbox has to be \"required\" or \"best-effort\"")
        }
        guard let list = try top.member("writePaths") else {
            guard let mode else { return nil }
            throw HookFileError(
                at: mode.position,
                "sandbox has no effect without writePaths; name where the hook may write, as in writePaths: [\"/run/app\"]"
            )
        }
        let elements = try list.elements()
        guard elements.count <= HookLimits.writePaths else {
            throw HookFileError(
                at: list.position,
                "writePaths has more than \(HookLimits.writePaths) elements; name a directory above them")
        }
        var paths: [String] = []
        for element in elements { paths.append(try HookFile.absolutePath(element)) }
        return HookSandbox(writePaths: paths, isRequired: isRequired)
    }

    /// Reads an absolute path without `..`.
    static func absolutePath(_ node: HookFileNode) throws(HookFileError) -> String {
        let path = try node.string()
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw HookFileError(
                at: node.position,
                "the path \(HookFileNode.excerpt(path)) is not absolute; write it in full, as in /var/lib/app")
        }
        guard path.utf8.count <= HookLimits.writePathBytes else {
            throw HookFileError(
                at: node.position,
                "the path has more than \(HookLimits.writePathBytes) bytes; name a directory above it")
        }
        guard !path.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) else {
            throw HookFileError(at: node.position, "the path holds a control character; remove it")
        }
        guard !path.utf8.split(separator: UInt8(ascii: "/")).contains(where: { $0.elementsEqual("..".utf8) }) else {
            throw HookFileError(at: node.position, "the path holds \"..\"; write it without")
        }
        return path
    }

    private static func pace(_ top: HookFileNode) throws(HookFileError) -> HookPace {
        let times = 0...HookLimits.longestTimeout
        let debounce = try top.member("debounce")?.milliseconds(in: times) ?? 0
        let limit = try top.member("debounceLimit")
        let latest = try limit?.milliseconds(in: times)
        if let limit, let latest, latest < debounce {
            throw HookFileError(at: limit.position, "debounceLimit is shorter than debounce; make it longer")
        }
        var pace = HookPace(debounce: debounce, debounceLimit: latest)
        if let rate = try top.member("rate") {
            try rate.checkMembers(["burst", "perSecond"])
            pace.burst = try rate.member("burst")?.integer(in: 1...HookLimits.highestRate) ?? pace.burst
            pace.perSecond = try rate.member("perSecond")?.integer(in: 1...HookLimits.highestRate) ?? pace.perSecond
        }
        if let count = try top.member("concurrency")?.integer(in: 1...Int64(HookLimits.concurrency)) {
            pace.concurrency = Int(count)
        }
        return pace
    }
}

/// An error in a hook file, with its position.
package struct HookFileError: Error, Equatable, CustomStringConvertible {
    /// The line, from 1.
    package let line: Int
    /// The column, from 1.
    package let column: Int
    /// The problem and the remedy, without the position.
    package let message: String

    init(at position: JSONPosition, _ message: String) {
        line = position.line
        column = position.column
        self.message = message
    }

    package var description: String { "line \(line), column \(column): \(message)" }

    /// Returns the error as it is sent to clients.
    func problem(in file: String) -> HookProblem {
        HookProblem(file: file, line: line, column: column, message: message)
    }
}
