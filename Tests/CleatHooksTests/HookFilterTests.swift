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

    @Test("go over the wire as they were written")
    func wire() throws {
        let text = "{ match: { source: 'link', properties: { B: '2|3', A: '[1]' } }, run: ['/bin/true'] }"
        let hook = try #require(try HookFile(Array(text.utf8), name: "a", file: "a.json5").hook)
        #expect(hook.filter.wire == HookMatch(source: "link", properties: ["A": "[1]", "B": "2|3"]))
    }
}
