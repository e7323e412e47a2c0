// A program of another package, which sees the public products only. Each line that it prints is compared.
import Cleat
import CleatEmbedded
import CleatFiles
import CleatFoundation
import CleatViews
import FoundationEssentials

enum Mode: String, Codable, CaseIterable {
    case steady, fading
}

extension SettingKey<Int> { static var brightness: Self { .init("lamp/brightness", default: 80, .range(0...100)) } }
extension SettingKey<Mode> { static var mode: Self { .init("lamp/mode", default: .steady) } }
extension SettingKey<Duration> { static var fade: Self { .init("lamp/fade", default: .seconds(1)) } }
extension SettingKey<Timestamp?> { static var since: Self { .init("lamp/since") } }
extension SettingKey<[UInt8]> { static var curve: Self { .init("lamp/curve", default: [1, 2]) } }
extension SettingKey<Date?> { static var bought: Self { .init("lamp/bought") } }

let keys = SettingKeys(title: "Lamp", .brightness, .mode, .fade, .since, .curve, .bought)

/// Uses settings, trials, history, snapshots and events of a client: of the service, of a store in the program, or in memory.
func useSettings(of cleat: Cleat) async throws {
    try await cleat.check(keys)
    print("brightness \(try await cleat[.brightness]) \(try await cleat[.mode]) \(try await cleat[.fade])")
    var events = try await cleat.events(from: .setting, .app, subject: "lamp/*").makeAsyncIterator()
    let generation = try await cleat.history(limit: 1).first?.generation ?? 0
    try await cleat.snapshots.create("first")
    let outcome = try await cleat.edit(confirm: .seconds(60)) { settings in
        settings[.brightness] = 10
        settings[.curve].append(3)
        settings[.bought] = Date(timeIntervalSince1970: 0)
    } whileOnTrial: { trial in
        try await trial.extend(.seconds(90))
        try await trial.confirm()
    }
    print("confirmed \(outcome == .confirmed(generation: generation + 1))")
    print("curve \(try await cleat[.curve]) bought \(try await cleat[.bought]?.timeIntervalSince1970 ?? -1)")
    var seen: Set<String> = []
    while seen.count < 3, let event = try await events.next() {
        if event.action == "set" { seen.insert(event.subject) }
    }
    print("events \(seen.sorted())")
    try await cleat.emit("blinked", subject: "lamp/1")
    while let event = try await events.next(), event.source != .app {}
    print("emitted")
    let difference = try await cleat.snapshots.difference(from: "first")
    print("difference \(difference.changes.map(\.path))")
    do {
        try await cleat.edit { $0[.brightness] = 200 }
    } catch let error as CleatError {
        print("refused \(error.code) \(error.problems.map(\.path))")
    }
    print("plan \(try await cleat.plan { $0[.mode] = .fading }.changes)")
    try await cleat.rollback(to: generation)
    print("brightness \(try await cleat[.brightness])")
    try await cleat.snapshots.delete("first")
    try await useRows(of: cleat)
}

/// Edits a setting in a form.
func useRows(of cleat: Cleat) async throws {
    var rows = try await cleat.rows(below: "lamp/brightness")
    do throws(RefusedValue) {
        try rows["lamp/brightness"]?.edit(text: "101")
    } catch {
        print(error)
    }
    try rows["lamp/brightness"]?.edit(text: "90")
    try await cleat.save(rows)
    print(Renderer(form: .text).render(SettingTable(try await cleat.rows(below: "lamp/brightness"))), terminator: "")
}

/// A set of files of the program's own: only the protocols are public, so this is what a program can write.
struct CountedFiles<Wrapped: FilesReading>: FilesReading {
    let wrapped: Wrapped
    let reads = Broadcaster<String>(keepsLatest: true)

    var label: String { wrapped.label }

    func read(at path: FilesPath, from offset: Int64, upTo count: Int) async throws(FilesError) -> [UInt8] {
        reads.publish("\(path)")
        return try await wrapped.read(at: path, from: offset, upTo: count)
    }
}

/// Uses the files of an area of the board, or those of a directory that stands for it in memory.
func useArea(of cleat: Cleat) async throws {
    let area = try await cleat.files.area("documents")
    let writer = try await area.writer("notes.txt")
    try await writer.write(Array("one\n".utf8))
    try await writer.commit()
    try await area.append(Array("two\n".utf8), to: "notes.txt")
    print("area \(String(decoding: try await area.read("notes.txt"), as: UTF8.self).split(separator: "\n"))")
    for try await entry in area.list() { print("entry \(entry.path) \(entry.attributes.size)") }
    do {
        _ = try await cleat.files.area("nowhere")
    } catch {
        print("refused \(error.code)")
    }
}

/// Follows the network connection of the board, or the one in memory.
func useBoard(of cleat: Cleat) async throws {
    var states = cleat.connection.makeAsyncIterator()
    print("connection \(try await states.next() != nil)")
    var supplies = cleat.power.makeAsyncIterator()
    try await cleat.emit(
        "located", subject: "location", ["FIX": "2d", "LATITUDE": "52.520", "LONGITUDE": "13.405"],
        keepingFor: .seconds(60))
    var locations = cleat.location.makeAsyncIterator()
    let location = try await locations.next()
    print("location \(location.map { "\($0.fix) \($0.latitude ?? 0) \($0.longitude ?? 0)" } ?? "nowhere")")
    print("power \(try await supplies.next()?.filter(\.isOfBoard) != nil)")
}

func useFiles(in directory: String) async throws {
    let sandbox = try await Sandbox.open(at: directory, quota: Quota(bytes: 1 << 20))
    try await sandbox.write(Array("one\n".utf8), to: "notes.txt")
    try await sandbox.append(Array("two\n".utf8), to: "notes.txt")
    let counted = CountedFiles(wrapped: sandbox)
    print("read \(String(decoding: try await counted.read("notes.txt"), as: UTF8.self).split(separator: "\n"))")
    var reads = counted.reads.notices().makeAsyncIterator()
    print("counted \(await reads.next() ?? "nothing")")
    do {
        _ = try await sandbox.read("../secret")
    } catch {
        print("refused \(error.code)")
    }
}

/// A state of the program that follows a setting.
actor Dial: SettingsAdapter {
    private(set) var position = "unknown"

    func check(_ settings: SettingsView) async throws {
        if settings[.brightness] == 13 {
            throw AdapterRefusal(.brightness, "is a position that the dial does not have")
        }
    }
    func capture() async throws -> [UInt8] { Array(position.utf8) }
    func apply(_ settings: SettingsView) async throws { position = "\(settings[.brightness])" }
    func restore(_ state: [UInt8]) async throws { position = String(decoding: state, as: UTF8.self) }
    func holds(_ settings: SettingsView) async throws -> Bool? { position == "\(settings[.brightness])" }
}

func useDial(_ dial: Dial, with cleat: Cleat) async throws {
    do {
        try await cleat.update(.brightness) { $0 = 13 }
    } catch let error as CleatError {
        print("refused \(error.problems.map(\.path))")
    }
    try await cleat.edit(confirm: .seconds(60)) {
        $0[.brightness] = 20
    } whileOnTrial: { _ in
        print("dial \(await dial.position) on trial")
    }
    print("dial \(await dial.position)")
}

switch CommandLine.arguments.dropFirst().first {
case "memory":
    let sandbox = try await Sandbox.open(at: CommandLine.arguments[2])
    let cleat = try await Cleat.inMemory(schemas: [keys.schema()], files: ["documents": sandbox])
    try await useSettings(of: cleat)
    try await useArea(of: cleat)
    try await useBoard(of: cleat)
case "embedded":
    let dial = Dial()
    let sandbox = try await Sandbox.open(at: CommandLine.arguments[2] + "/files")
    let store = try await EmbeddedStore.open(
        at: CommandLine.arguments[2] + "/store", declaring: keys,
        adapters: [StoreAdapter("dial", follows: ["lamp"], dial)], files: ["documents": sandbox])
    try await useSettings(of: store.cleat)
    try await useArea(of: store.cleat)
    try await useDial(dial, with: store.cleat)
    print("stored \(try store[.brightness]) \(try store[.mode])")
    try await store.close()
case "service":
    let cleat = try await Cleat.connect()
    try await useSettings(of: cleat)
    try await useArea(of: cleat)
    try await useBoard(of: cleat)
case "files": try await useFiles(in: CommandLine.arguments[2])
default: keys.handleSchemaOption()
}
