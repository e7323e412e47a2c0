import CleatAPI
import CleatHooks
import CleatObservers
import Testing

@Suite("Event filters")
struct EventFilterTests {
    static let event = EventRecord.make(
        "/devices/usb1/block/sda", source: .device, action: "add", properties: ["SUBSYSTEM": "block", "EMPTY": ""])

    @Test(
        "need every condition to hold",
        arguments: [
            ("{ source: 'device' }", true), ("{ source: 'link' }", false), ("{ source: '*' }", true),
            ("{ action: 'add|change' }", true), ("{ action: 'remove' }", false),
            ("{ subject: '*/block/*' }", true), ("{ subject: 'block' }", false),
            ("{ properties: { SUBSYSTEM: 'bl*' } }", true), ("{ properties: { SUBSYSTEM: 'net' } }", false),
            ("{ properties: { EMPTY: '*' } }", true), ("{ properties: { EMPTY: '' } }", true),
            ("{ properties: { MISSING: '*' } }", false), ("{ properties: { SUBSYSTEM: '*', MISSING: '*' } }", false),
            ("{ source: 'device', action: 'add', subject: '*sda', properties: { SUBSYSTEM: 'block' } }", true),
            ("{ source: 'device', action: 'remove', subject: '*sda' }", false),
        ])
    func matches(match: String, expected: Bool) throws {
        let file = try HookFile(Array("{ match: \(match), run: ['/bin/true'] }".utf8), name: "a", file: "a.json5")
        #expect(file.hook?.filter.matches(Self.event) == expected)
    }

    /// The forms that do not name the source `app` are of hooks from before programs could emit events.
    @Test(
        "match an event of a program only with its source and its emitter",
        arguments: [
            ("{ source: 'app', properties: { EMITTER_UID: '1000' } }", true),
            ("{ source: 'link|app', properties: { EMITTER: 'root|pump' } }", true),
            ("{ source: 'app', properties: { EMITTER_UID: '0' } }", false),
            ("{ source: '*', properties: { EMITTER_UID: '1000' } }", false),
            ("{ source: 'ap?', properties: { EMITTER_UID: '1000' } }", false),
            ("{ properties: { EMITTER_UID: '1000' } }", false), ("{ source: '*' }", false), ("{ action: 'up' }", false),
        ])
    func programs(match: String, expected: Bool) throws {
        let event = EventRecord.make(
            "door", source: .app, action: "up", properties: ["EMITTER_UID": "1000", "EMITTER": "pump"])
        let file = try HookFile(Array("{ match: \(match), run: ['/bin/true'] }".utf8), name: "a", file: "a.json5")
        let filter = try #require(file.hook?.filter)
        #expect(filter.matches(event) == expected)
        #expect(filter.clauses(for: event.event(bootID: "boot")).allSatisfy(\.matches) == expected)
    }

    @Test("go over the wire as they were written")
    func wire() throws {
        let text = "{ match: { source: 'link', properties: { B: '2|3', A: '[1]' } }, run: ['/bin/true'] }"
        let hook = try #require(try HookFile(Array(text.utf8), name: "a", file: "a.json5").hook)
        #expect(hook.filter.wire == HookMatch(source: "link", properties: ["A": "[1]", "B": "2|3"]))
    }
}
