import CleatAPI
import CleatHooks
import CleatObservers
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatAgent

@Suite("The events that hooks have not acted on")
struct HookBacklogTests {
    private static func event(_ subject: String, _ properties: PropertyBlock) -> EventRecord {
        EventRecord(
            sequence: 7,
            draft: EventDraft(
                source: .device, action: "add", subject: subject, properties: properties, cause: "hook:x"),
            stamp: .now())
    }

    @Test("As many as the queue holds are read as they were written, once, in the same boot", arguments: [true, false])
    func file(isSameBoot: Bool) throws {
        let directory = try TemporaryDirectory()
        let file = HookBacklogFile(directory: directory.path, bootID: "boot")
        let properties = PropertyBlock(["DEVNAME": "/dev/a", "TEXT": String(repeating: "é\"", count: 100)])
        var events = (0..<8_192).map { PendingHookEvent(hook: "h", event: Self.event("/devices/\($0)", properties)) }
        events.append(PendingHookEvent(hook: "other", event: Self.event("/devices/x", [:]), hasProperties: false))
        try file.save(events)
        let read = try HookBacklogFile(directory: directory.path, bootID: isSameBoot ? "boot" : "next").take()
        #expect(!FileMoves.exists(directory.appending("hooks.json")))
        guard isSameBoot else {
            #expect(read.isEmpty)
            return
        }
        #expect(read.count == events.count && read.map(\.hook) == events.map(\.hook))
        #expect(read.map(\.event.subject) == events.map(\.event.subject))
        #expect(read.allSatisfy { $0.event.restored && $0.event.sequence == 0 && $0.event.draft.cause == "hook:x" })
        #expect(read.first?.event.properties.dictionary == properties.dictionary)
        #expect(read.last?.hasProperties == false)
        #expect(try file.take().isEmpty)
        try file.save(events)
        try file.save([])
        #expect(!FileMoves.exists(directory.appending("hooks.json")), "without events there is no file")
    }

    @Test("A damaged file is reported, and does not stay")
    func damaged() throws {
        let directory = try TemporaryDirectory()
        try directory.write("{\"boot_id\": \"boot\", \"events\": [1, {\"hook\": 3}, {}]}", to: "hooks.json")
        let file = HookBacklogFile(directory: directory.path, bootID: "boot")
        #expect(try file.take().isEmpty)
        try directory.write("{", to: "hooks.json")
        #expect(throws: FileError.self) { try file.take() }
        #expect(!FileMoves.exists(directory.appending("hooks.json")))
    }
}
