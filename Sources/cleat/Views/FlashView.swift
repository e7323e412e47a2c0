import CleatAPI
import CleatJSON
import CleatViews

/// Prints what the service writes to the storage: the output of `cleat status --flash`.
struct FlashView: TextPresentable, JSONPresentable {
    var reply: ServiceInterface.Flash.Reply

    /// The bytes that a flush makes the device write at least: a page of its flash.
    static let pageBytes: Int64 = 16_384
    /// The erase cycles that the cells of a device last, as far as its type shows it: cheap cells of three bits, and those
    /// of soldered chips.
    static let cycles: [String: Int64] = ["SD": 500, "MMC": 3_000]
    /// The shortest time from which a day is calculated, in milliseconds.
    static let shortest: Int64 = 600_000
    private static let day: Int64 = 86_400_000

    func write(to page: inout TextPage) {
        let names = ["store": "store", "system": "system's files", "files": "files", "log": "log"]
        func row(_ name: String, _ text: String) {
            page.line(
                .init(name + String(repeating: " ", count: max(0, 16 - name.displayWidth)), .faint),
                TextSpan(text, .plain))
        }
        for part in reply.written {
            let total = Self.amount(part.totalBytes, part.totalFlushes)
            row(names[part.part] ?? part.part, "\(perDay(part).map { "\($0) a day, " } ?? "")\(total) in all")
        }
        row("counted since", reply.since ?? "this start")
        if reply.uptime < Self.shortest { row("a day", "known after ten minutes; the service runs for less") }
        guard let device = reply.device else { return row("device", "none: the store is in memory, or on a network") }
        row("device", "\(device.name) (\(device.kind), \(device.capacity.shownBytes))")
        row("all programs", Self.amount(device.written, device.flushes) + " since the boot")
        if let used = device.lifeUsed { row("life used", "at most \(used) % (reported by the device)") }
        if let years { row("wear", years) }
    }

    var json: JSONValue { JSONValue(showing: reply) }

    private static func amount(_ bytes: Int64, _ flushes: Int64?) -> String {
        guard let flushes, flushes > 0 else { return bytes.shownBytes }
        return "\(bytes.shownBytes) and \(flushes) flush\(flushes == 1 ? "" : "es")"
    }

    private func daily(_ count: Int64) -> Int64? {
        guard reply.uptime >= Self.shortest else { return nil }
        return Self.whole(Double(count) * Double(Self.day) / Double(reply.uptime))
    }

    /// Returns a whole number, also for one that has no place in 64 bits.
    private static func whole(_ number: Double) -> Int64 { Int64(min(max(number, 0), 9e18)) }

    private func perDay(_ part: Written) -> String? {
        guard let bytes = daily(part.bytes), let flushes = daily(part.flushes) else { return nil }
        return Self.amount(bytes, flushes)
    }

    /// The wear by the service's own writes, as far as the type of the device shows it; the log is written by another program.
    private var years: String? {
        guard let device = reply.device, let cycles = Self.cycles[device.kind] else { return nil }
        let own = reply.written.filter { $0.part != "log" }
        let written = own.reduce(0.0) { $0 + Double($1.bytes) + Double($1.flushes) * Double(Self.pageBytes) } * 2
        guard reply.uptime >= Self.shortest else { return nil }
        let perDay = written * Double(Self.day) / Double(reply.uptime)
        let life = Double(device.capacity) * Double(cycles)
        let years = perDay > 0 ? life / perDay / 365 : .infinity
        let span = years > 100 ? "more than 100 years" : years < 1 ? "less than a year" : "about \(Int64(years)) years"
        return "\(Self.whole(perDay).shownBytes) of flash a day by the service: \(span) with \(cycles) cycles"
    }
}
