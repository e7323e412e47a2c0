import CleatAPI
import CleatHooks
import CleatIO
import CleatJSON
import CleatObservers
import SystemPackage

/// Keeps the events that hooks have not acted on in a file of the runtime directory, so that they outlive a restart of
/// the service but no boot.
struct HookBacklogFile: Sendable {
    /// The maximum size of the file in bytes; the queue of hooks holds much less.
    private static let sizeLimit = 32 << 20

    let directory: FilePath
    let bootID: String

    private var path: FilePath { directory.appending("hooks.json") }

    /// Reads the events that this boot has left, marked as restored, and removes the file.
    ///
    /// - Returns: The events; those that cannot be read are skipped.
    /// - Throws: ``FileError`` if there is a file that cannot be read at all.
    func take() throws -> [PendingHookEvent] {
        guard let bytes = try BoundedFile.read(path, limit: Self.sizeLimit) else { return [] }
        FileMoves.remove(path)
        let document: JSONValue
        do {
            document = try JSONReader.read(bytes)
        } catch {
            throw FileError(description: "\(path) has no JSON: \(error)")
        }
        guard document["boot_id"]?.stringValue == bootID else { return [] }
        return (document["events"]?.arrayValue ?? []).compactMap(Self.event)
    }

    /// Writes the events; without any, there is no file.
    func save(_ events: [PendingHookEvent]) throws {
        guard !events.isEmpty else { return FileMoves.remove(path) }
        var bytes: [UInt8] = []
        let document: JSONObject = ["boot_id": .string(bootID), "events": .array(events.map(Self.value))]
        JSONWriter.write(.object(document), into: &bytes, style: .compact)
        try BoundedFile.replace(path, with: bytes)
    }

    private static func value(_ pending: PendingHookEvent) -> JSONValue {
        let event = pending.event
        var object: JSONObject = [
            "hook": .string(pending.hook), "source": .string(event.source.rawValue), "action": .string(event.action),
            "subject": .string(event.subject), "sequence": .integer(event.sequence),
            "time": .integer(event.time.milliseconds), "boot_time": .integer(event.bootTime.milliseconds),
            "synchronised": .bool(event.synchronised),
        ]
        if let cause = event.draft.cause { object["cause"] = .string(cause) }
        if pending.hasProperties {
            var properties = JSONObject()
            for (name, value) in event.properties.dictionary.sortedByKey() { properties[name] = .string(value) }
            object["properties"] = .object(properties)
        }
        return .object(object)
    }

    private static func event(_ value: JSONValue) -> PendingHookEvent? {
        guard let hook = value["hook"]?.stringValue, let action = value["action"]?.stringValue,
            let source = value["source"]?.stringValue.flatMap(EventSource.init), let time = value["time"]?.integerValue,
            let subject = value["subject"]?.stringValue, let bootTime = value["boot_time"]?.integerValue
        else { return nil }
        let properties = value["properties"]?.objectValue?.map { ($0.key, $0.value.stringValue ?? "") }
        let draft = EventDraft(
            source: source, action: action, subject: subject,
            properties: PropertyBlock(Dictionary(properties ?? []) { $1 }), cause: value["cause"]?.stringValue,
            restored: true)
        let stamp = EventStamp(
            time: WallTime(milliseconds: time), bootTime: BootTime(milliseconds: bootTime),
            synchronised: value["synchronised"]?.boolValue ?? false)
        // The numbers of another run of the service are not those of this one.
        return PendingHookEvent(
            hook: hook, event: EventRecord(sequence: 0, draft: draft, stamp: stamp), hasProperties: properties != nil)
    }
}
