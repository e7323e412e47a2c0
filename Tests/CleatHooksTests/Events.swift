import CleatAPI
import CleatHooks
import CleatIO
import CleatObservers
import CleatTestSupport

extension EventRecord {
    /// Makes an event for a test.
    static func make(
        _ subject: String = "eth0", source: EventSource = .link, action: String = "change", sequence: Int64 = 1,
        properties: [String: String] = [:], cause: String? = nil
    ) -> EventRecord {
        EventRecord(
            sequence: sequence,
            draft: EventDraft(
                source: source, action: action, subject: subject, properties: PropertyBlock(properties), cause: cause),
            stamp: EventStamp(
                time: WallTime(milliseconds: 1_714_979_289_123), bootTime: BootTime(milliseconds: 1234),
                synchronised: true))
    }
}

extension Event {
    /// Makes an event for a test, in the form that is sent to clients.
    static func make(
        _ subject: String = "eth0", source: EventSource = .link, action: String = "change", sequence: Int64 = 1,
        properties: [String: String] = [:], cause: String? = nil
    ) -> Event {
        EventRecord.make(
            subject, source: source, action: action, sequence: sequence, properties: properties, cause: cause
        ).event(bootID: "5e3c0ffe")
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
