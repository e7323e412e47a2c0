package import CleatAPI
internal import CleatIO
internal import CleatJSON

/// Makes the input of a hook's program for an event: its environment and its standard input.
package enum HookEnvironment {
    /// The `PATH` of hooks.
    package static let searchPath = "/usr/sbin:/usr/bin:/sbin:/bin"

    /// Returns the environment of a run: a search path, `CLEAT_…`, and the harmless properties of the event.
    ///
    /// A property is skipped if its name could change how programs are loaded or behave (`LD_PRELOAD`, `PATH`, `IFS`,
    /// …), if it would exceed ``HookLimits/environmentBytes``, or if no pattern of `properties` matches its name.
    /// Standard input has all properties.
    package static func variables(
        for event: Event, hook: String, cause: HookCause, context: HookContext, properties: [HookPattern]? = nil
    ) -> [String: String] {
        var variables = [
            "PATH": searchPath,
            "CLEAT_SOURCE": event.source.rawValue,
            "CLEAT_ACTION": event.action,
            "CLEAT_SUBJECT": event.subject,
            "CLEAT_SEQUENCE": String(event.sequence),
            "CLEAT_TIME": event.time,
            "CLEAT_INSTANCE": context.instance,
            "CLEAT_SOCKET": context.socket,
            "CLEAT_HOOK": hook,
            "CLEAT_CAUSE": cause.description,
        ]
        if event.source == .file, let file = event.properties["FILE"] { variables["CLEAT_FILE"] = file }
        var bytes = 0
        for (name, value) in variables {
            if value.utf8.contains(0) { variables[name] = "" }
            bytes += name.utf8.count + value.utf8.count + 2
        }
        let harmless = event.properties.filter { name, value in
            isHarmless(name) && !value.utf8.contains(0) && properties?.contains { $0.matches(name) } ?? true
        }
        let size = harmless.reduce(bytes) { $0 + $1.key.utf8.count + $1.value.utf8.count + 2 }
        if size <= HookLimits.environmentBytes {
            variables.merge(harmless) { first, _ in first }
            return variables
        }
        for (name, value) in harmless.sortedByKey() {
            let size = name.utf8.count + value.utf8.count + 2
            guard bytes + size <= HookLimits.environmentBytes else { continue }
            bytes += size
            variables[name] = value
        }
        return variables
    }

    /// Returns the line for standard input: the event as JSON, as clients receive it.
    package static func input(for event: Event) -> [UInt8] {
        var properties = JSONObject()
        for (name, value) in event.properties.sortedByKey() {
            properties[name] = .string(value)
        }
        var object: JSONObject = [
            "sequence": .integer(event.sequence),
            "source": .string(event.source.rawValue),
            "action": .string(event.action),
            "subject": .string(event.subject),
            "properties": .object(properties),
            "time": .string(event.time),
            "boot_id": .string(event.bootID),
            "boot_time": .integer(event.bootTime),
            "synchronised": .bool(event.synchronised),
        ]
        if let cause = event.cause { object["cause"] = .string(cause) }
        object["restored"] = .bool(event.restored)
        var line: [UInt8] = []
        JSONWriter.write(.object(object), into: &line, style: .compact)
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// The prefixes of names that loaders, libc, shells and interpreters read.
    private static let refusedPrefixes = [
        "CLEAT_", "LD_", "DYLD_", "MALLOC_", "GLIBC_", "BASH", "KSH_", "ZSH_", "PYTHON", "PERL", "RUBY", "GEM_", "LUA_",
        "NODE_", "NPM_", "JAVA_", "JDK_", "_JAVA_", "CLASSPATH", "PHP", "TCL", "GIT_", "SSH_", "SSL_", "OPENSSL_",
        "GNUTLS_",
        "CURL_", "LC_", "SWIFT_", "ASAN_", "LSAN_", "MSAN_", "TSAN_", "UBSAN_", "DBUS_", "XDG_", "SYSTEMD_", "LISTEN_",
        "NOTIFY_", "WATCHDOG_", "RES_", "RESOLV_", "SUDO_", "GCONV_", "LESS",
    ]

    private static let refusedNames: Set<String> = [
        "PATH", "IFS", "ENV", "SHELLOPTS", "SHELL", "CDPATH", "FPATH", "GLOBIGNORE", "PS1", "PS2", "PS3", "PS4",
        "PROMPT_COMMAND", "HISTFILE", "INPUTRC", "OPTIND", "OLDPWD", "PWD", "SHLVL", "POSIXLY_CORRECT",
        "POSIX_ME_HARDER",
        "HOME", "USER", "LOGNAME", "UID", "EUID", "GID", "PPID", "MAIL", "MAILPATH", "TMPDIR", "TMP", "TEMP", "TEMPDIR",
        "GETCONF_DIR", "HOSTALIASES", "LOCALDOMAIN", "NIS_PATH", "NLSPATH", "LOCPATH", "LANG", "LANGUAGE", "CHARSET",
        "OUTPUT_CHARSET", "TEXTDOMAIN", "TEXTDOMAINDIR", "TZ", "TZDIR", "TERM", "TERMINFO", "TERMINFO_DIRS", "TERMCAP",
        "TERMPATH", "EDITOR", "VISUAL", "PAGER", "BROWSER", "MANPATH", "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY",
        "ALL_PROXY", "NO_PROXY", "MAKEFLAGS", "MAKEFILES", "GREP_OPTIONS", "TAR_OPTIONS", "RSYNC_RSH", "AWKPATH",
        "AWKLIBPATH", "MODPROBE_OPTIONS", "MAINPID", "INVOCATION_ID", "JOURNAL_STREAM", "_",
    ]

    /// Returns true if a property can be in the environment: its name is `[A-Z_][A-Z0-9_]*`, has at most 256 bytes, and
    /// is none that changes how programs behave.
    package static func isHarmless(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        let isWellFormed = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isWellFormed, name.utf8.count <= 256, !refusedNames.contains(name) else { return false }
        return !refusedPrefixes.contains { $0.utf8.first == first && name.hasPrefix($0) }
    }
}

/// The values that all hooks of one service share.
package struct HookContext: Sendable, Equatable {
    /// The service's instance.
    package var instance: String
    /// The id of this boot.
    package var bootID: String
    /// The path of the service's socket.
    package var socket: String

    /// Creates a context.
    package init(instance: String, bootID: String, socket: String) {
        self.instance = instance
        self.bootID = bootID
        self.socket = socket
    }
}
