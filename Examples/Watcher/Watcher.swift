import Cleat

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

// Observers: the network connection, the links, the power supplies, the location, and events of the board and of programs. `cleat emit ring door` in
// another terminal is answered, and ends the program.
@main
struct Watcher {
    static func main() async {
        do {
            let cleat = try await Cleat.connect()
            try await withThrowingTaskGroup { group in
                group.addTask { try await showConnection(of: cleat) }
                group.addTask { try await showLinks(of: cleat) }
                group.addTask { try await showPower(of: cleat) }
                group.addTask { try await showLocation(of: cleat) }
                try await answerRings(of: cleat)
                group.cancelAll()
            }
        } catch {
            print("watcher: \(error)")
            exit(1)
        }
    }

    /// The state comes first, then each new one; the sequence continues across restarts of the service.
    static func showConnection(of cleat: Cleat) async throws {
        for try await connection in cleat.connection {
            switch connection {
            case .connected(let link, let address, let gateway):
                print("connected: \(link) \(address) via \(gateway ?? "the link")")
            case .limited(let link, let address): print("no default route: \(link) \(address)")
            case .error(let link, let duplicate): print("in use by another host: \(duplicate) on \(link)")
            case .connecting, .disconnecting, .disconnected: print("not connected")
            }
        }
    }

    static func showLinks(of cleat: Cleat) async throws {
        for try await links in cleat.links { print("links: \(links.map(\.name).joined(separator: " "))") }
    }

    static func showPower(of cleat: Cleat) async throws {
        for try await supplies in cleat.power {
            for supply in supplies where supply.isOfBoard {
                print("\(supply.kind) \(supply.name): \(supply.capacity.map { "\($0) %" } ?? "no charge")")
            }
        }
    }

    static func showLocation(of cleat: Cleat) async throws {
        for try await location in cleat.location {
            guard let latitude = location.latitude, let longitude = location.longitude else { continue }
            print("location: \(latitude), \(longitude) (\(location.fix))")
        }
    }

    /// Waits for events of programs and answers one kind of them with an event of its own.
    static func answerRings(of cleat: Cleat) async throws {
        for try await event in try await cleat.events(from: .app) {
            if event.missed > 0 { print("\(event.missed) events were missed") }
            print("\(event.action) \(event.subject), by \(event.properties["EMITTER"] ?? "an unknown user")")
            guard event.action == "ring" else { continue }
            try await cleat.emit("answered", subject: event.subject)
            return
        }
    }
}
