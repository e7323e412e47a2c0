internal import CLinux
internal import SystemPackage

extension Kernel {
    struct Child {
        var pid: Int32
        var pidfd: Int32
        /// The pipe on which a child that changes its user reports a failure to start.
        var report: Int32?
    }

    /// Starts a program with its input, output and error descriptors; none of those passed may be 0, 1 or 2.
    ///
    /// Without one for errors they go to the output.
    static func spawn(
        _ command: ChildCommand, input: Int32, output: Int32, error: Int32? = nil
    ) throws(SpawnError) -> Child {
        let name = command.program.name
        let variables = command.environment.sortedByKey()
        let texts = [name] + command.arguments + variables.flatMap { [$0.key, $0.value] }
        guard !texts.contains(where: { $0.utf8.contains(0) }), !name.isEmpty,
            !variables.contains(where: { $0.key.isEmpty || $0.key.utf8.contains(UInt8(ascii: "=")) })
        else { throw SpawnError(.invalidCommand, program: name) }

        let rules: Descriptor?
        if let access = command.writeAccess {
            rules = try self.rules(for: access, program: name)
        } else {
            rules = nil
        }
        let arguments = CStrings([name] + command.arguments)
        let environment = CStrings(variables.map { "\($0.key)=\($0.value)" })
        let paths = CStrings([name, command.workingDirectory?.string ?? ""])
        let groups = command.user?.groups ?? []
        let limits = command.limits.map {
            clinux_spawn_limit(resource: $0.resource.rawValue, soft: $0.soft, hard: $0.hard)
        }
        var spawn = unsafe clinux_spawn()
        let started = unsafe groups.withUnsafeBufferPointer { groups in
            unsafe limits.withUnsafeBufferPointer { limits in
                unsafe spawn.path = unsafe UnsafePointer(paths.pointers[0])
                unsafe spawn.program = -1
                if case .descriptor(let program, _) = command.program { unsafe spawn.program = program.rawValue }
                unsafe spawn.arguments = unsafe UnsafePointer(arguments.pointers)
                unsafe spawn.environment = unsafe UnsafePointer(environment.pointers)
                if command.workingDirectory != nil {
                    unsafe spawn.directory = unsafe UnsafePointer(paths.pointers[1])
                }
                unsafe spawn.input = input
                unsafe spawn.output = output
                unsafe spawn.error = error ?? output
                unsafe spawn.group = Int32(CLINUX_SPAWN_NEW_SESSION.rawValue)
                unsafe (spawn.default_signals, spawn.unblocked_signals) = (.max, .max)
                unsafe spawn.death_signal = Signal.kill.rawValue
                if let user = command.user {
                    unsafe spawn.set_user = 1
                    unsafe spawn.uid = user.uid
                    unsafe spawn.gid = user.gid
                    unsafe spawn.groups = groups.baseAddress
                    unsafe spawn.group_count = groups.count
                }
                unsafe spawn.no_new_privileges = command.noNewPrivileges || rules != nil ? 1 : 0
                unsafe spawn.ruleset = rules?.rawValue ?? -1
                unsafe spawn.limits = limits.baseAddress
                unsafe spawn.limit_count = limits.count
                return unsafe clinux_start(&spawn) == 0
            }
        }
        rules?.close()
        guard started else {
            throw unsafe SpawnError(
                stage: spawn.stage, error: Errno(rawValue: spawn.failure), program: name)
        }
        return unsafe Child(pid: spawn.pid, pidfd: spawn.pidfd, report: spawn.report >= 0 ? spawn.report : nil)
    }

    /// Starts a program of a command line, and returns its PID.
    ///
    /// Its input, output and error are the given descriptors, none of them 0, 1 or 2; without descriptors it has those
    /// of this process.
    static func spawn(_ command: ConsoleChild.Command, streams: [Int32]) throws(Errno) -> Int32 {
        let variables = command.variables.map { "\($0.key)=\($0.value)" }
        guard !command.program.isEmpty else { throw .noSuchFileOrDirectory }
        guard !([command.program] + command.arguments + variables).contains(where: { $0.utf8.contains(0) }) else {
            throw .invalidArgument
        }
        let arguments = CStrings([command.program] + command.arguments)
        let added = CStrings(variables)
        var environment = unsafe Array(UnsafeBufferPointer(start: added.pointers, count: variables.count))
        var next = unsafe clinux_environment()
        // The variables of this process are not copied, so that those that are not UTF-8 are inherited unchanged.
        while let variable = unsafe next?.pointee {
            let name = unsafe String(cString: variable).prefix { $0 != "=" }
            if command.variables[String(name)] == nil { unsafe environment.append(variable) }
            unsafe next = unsafe next?.advanced(by: 1)
        }
        unsafe environment.append(nil)
        var spawn = unsafe clinux_spawn()
        unsafe (spawn.program, spawn.ruleset) = (-1, -1)
        unsafe spawn.path = unsafe UnsafePointer(arguments.pointers[0])
        unsafe spawn.searches = 1
        unsafe spawn.arguments = unsafe UnsafePointer(arguments.pointers + 1)
        let streams = streams.count == 3 ? streams : [-1, -1, -1]
        unsafe (spawn.input, spawn.output, spawn.error) = (streams[0], streams[1], streams[2])
        unsafe spawn.keeps_open = 1
        unsafe spawn.default_signals = set(command.defaultSignals)
        // A thread of the runtime may have been started by one that blocks all signals, and blocks them as well.
        unsafe spawn.unblocked_signals = set(SignalQueue.signals + command.defaultSignals)
        if command.role == .service {
            unsafe spawn.group = Int32(CLINUX_SPAWN_NEW_GROUP.rawValue)
            unsafe spawn.death_signal = Signal.terminate.rawValue
        }
        let started = unsafe environment.withUnsafeBufferPointer { environment in
            unsafe spawn.environment = environment.baseAddress
            return unsafe clinux_start(&spawn) == 0
        }
        guard started else { throw unsafe Errno(rawValue: spawn.failure) }
        // The program is waited for by its PID, so that kernels without pidfd_open(2) are supported.
        let (pid, pidfd) = unsafe (spawn.pid, spawn.pidfd)
        if pidfd >= 0 { close(pidfd) }
        return pid
    }

    /// Returns a set of signals as the bits that the spawner expects.
    private static func set(_ signals: [Signal]) -> UInt64 { signals.reduce(0) { $0 | 1 << UInt64($1.rawValue - 1) } }

    /// Reads the start failure that an ended child reported; returns nil if it did start.
    static func startFailure(_ report: Int32, program: String) -> SpawnError? {
        var words: (stage: Int32, error: Int32) = (0, 0)
        let count = unsafe withUnsafeMutableBytes(of: &words) { buffer in
            unsafe (try? read(report, into: buffer)) ?? 0
        }
        guard count == 8 else { return nil }
        return SpawnError(stage: words.stage, error: Errno(rawValue: words.error), program: program)
    }

    static func killGroup(_ group: Int32, _ signal: Signal) { _ = clinux_kill_group(group, signal.rawValue) }

    /// Reaps a child, or leaves it as it is if `keeping` is true; returns nil if it still runs and `wait` is false.
    static func reap(_ pidfd: Int32, wait: Bool = false, keeping: Bool = false) throws(Errno) -> ChildResult.Status? {
        var code: Int32 = 0
        var signalled: Int32 = 0
        guard try check(unsafe clinux_reap(pidfd, wait ? 1 : 0, keeping ? 1 : 0, &code, &signalled)) == 1 else {
            return nil
        }
        return signalled != 0 ? .signalled(code) : .exited(code)
    }

    /// Returns a descriptor above 2 that reads `input` from its beginning.
    static func inputDescriptor(_ input: [UInt8]?) throws(Errno) -> Descriptor {
        guard let input else { return try aboveStandard(openForReading("/dev/null")) }
        let (reading, writing) = try pipe()
        let (reader, writer) = (Descriptor(owning: reading), Descriptor(owning: writing))
        try setNonblocking(writer.rawValue)
        let count = try write(writer.rawValue, input, from: 0, socket: false) ?? 0
        if count == input.count {
            return try aboveStandard(duplicate(reader.rawValue))
        }
        // The input is larger than a pipe: a file in memory needs no writer that feeds it.
        return try aboveStandard(memoryFile(input))
    }

    static func aboveStandard(_ fd: Int32) throws(Errno) -> Descriptor { try aboveStandard(Descriptor(owning: fd)) }

    static func aboveStandard(_ descriptor: Descriptor) throws(Errno) -> Descriptor {
        descriptor.rawValue > 2 ? descriptor : Descriptor(owning: try duplicate(descriptor.rawValue))
    }
}

extension SpawnError {
    init(stage: Int32, error: Errno, program: String) {
        let code: Code =
            switch clinux_spawn_stage(rawValue: UInt32(bitPattern: stage)) {
            case CLINUX_SPAWN_DIRECTORY: .badDirectory
            case CLINUX_SPAWN_LIMITS: .badLimit
            case CLINUX_SPAWN_USER: .badUser
            case CLINUX_SPAWN_SANDBOX: .sandboxFailed
            case CLINUX_SPAWN_FORK: .resources
            case CLINUX_SPAWN_EXEC:
                switch error {
                case .noSuchFileOrDirectory, .notDirectory: .notFound
                case .permissionDenied, .notPermitted, .isDirectory: .denied
                case .noExec, .badExecutable: .notExecutable
                case .noMemory, .tooManyOpenFiles, .tooManyOpenFilesInSystem, .resourceTemporarilyUnavailable:
                    .resources
                default: .failed
                }
            default: .failed
            }
        self.init(code, program: program, underlying: error)
    }
}

extension Errno {
    /// ELIBBAD, which execve(2) reports for an ELF interpreter of an unknown format.
    fileprivate static var badExecutable: Errno { Errno(rawValue: 80) }
    fileprivate static var noExec: Errno { Errno(rawValue: 8) }
}

/// A NULL-terminated array of C strings.
@safe
private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        unsafe pointers = .allocate(capacity: count + 1)
        for (index, text) in texts.enumerated() {
            let bytes = text.utf8CString
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
            for (offset, byte) in bytes.enumerated() { unsafe (copy + offset).initialize(to: byte) }
            unsafe (pointers + index).initialize(to: copy)
        }
        unsafe (pointers + count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { unsafe pointers[index]?.deallocate() }
        unsafe pointers.deallocate()
    }
}

/// A kind of resource that can be limited.
package struct LimitedResource: RawRepresentable, Sendable, Hashable {
    /// The kernel's number (`RLIMIT_*`).
    package let rawValue: Int32

    /// Makes a resource from the kernel's number.
    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// Processor time in seconds.
    package static var processorTime: LimitedResource { LimitedResource(rawValue: clinux_limit_cpu()) }
    /// The size of a core file in bytes.
    package static var coreSize: LimitedResource { LimitedResource(rawValue: clinux_limit_core()) }
    /// The size of a file in bytes.
    package static var fileSize: LimitedResource { LimitedResource(rawValue: clinux_limit_fsize()) }
    /// The number of open descriptors.
    package static var openFiles: LimitedResource { LimitedResource(rawValue: clinux_limit_nofile()) }
    /// The address space in bytes.
    package static var addressSpace: LimitedResource { LimitedResource(rawValue: clinux_limit_as()) }
    /// The number of the user's processes.
    package static var processes: LimitedResource { LimitedResource(rawValue: clinux_limit_nproc()) }
}
