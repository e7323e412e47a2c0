import CleatAPI
import CleatHooks
import CleatTestSupport

extension Event {
    /// Makes an event for a test.
    static func make(
        _ subject: String = "eth0", source: EventSource = .link, action: String = "change", sequence: Int64 = 1,
        properties: [String: String] = [:], cause: String? = nil
    ) -> Event {
        Event(
            sequence: sequence, source: source, action: action, subject: subject, properties: properties,
            time: "2024-05-06T07:08:09.123Z", bootID: "5e3c0ffe", bootTime: 1234, synchronised: true, cause: cause)
    }
}

extension Hook {
    /// Makes a hook for a test.
    static func make(
        _ name: String = "hook", run command: [String] = ["/bin/true"], filter: HookFilter = HookFilter(),
        timeout: Int64 = Int64(min(30 * TestMachine.slowness, 3600)) * 1000, pace: HookPace = HookPace(),
        sandbox: HookSandbox? = nil
    ) -> Hook {
        Hook(
            name: name, file: "/hooks.d/\(name).json5", filter: filter, command: command, timeout: timeout, pace: pace,
            sandbox: sandbox)
    }
}
