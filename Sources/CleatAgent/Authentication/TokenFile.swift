import CleatHash
import CleatIO
import CleatJSON

/// A token that proves a user: the service knows only its digest.
struct ClientToken: Sendable, Equatable {
    /// The user ID that it proves.
    let uid: UInt32
    /// The SHA-256 of the token.
    let digest: [UInt8]
}

/// Reads the file of tokens: `{ tokens: [ { uid: 1000, sha256: "…" } ] }`.
enum TokenFile {
    /// The maximum size of the file in bytes.
    static let sizeLimit = 64 * 1_024

    /// Parses the text of the file, in JSON5; no token may prove root or `owner`, the service's own user.
    static func read(_ text: [UInt8], owner: UInt32 = ProcessSelf.uid) throws(ConfigurationError) -> [ClientToken] {
        let document: (value: JSONValue, locations: JSONLocations)
        do {
            document = try JSONReader.readWithLocations(
                text, dialect: .json5, limits: JSONLimits(depth: 4, size: sizeLimit))
        } catch {
            throw ConfigurationError(position: error.position, message: error.message)
        }
        let reader = ConfigurationReader(locations: document.locations)
        let members = try reader.members(of: document.value, at: [], known: ["tokens"])
        var tokens: [ClientToken] = []
        for (index, element) in try reader.elements(of: members["tokens"] ?? .null, at: ["tokens"]).enumerated() {
            let place = ["tokens", String(index)]
            let members = try reader.members(of: element, at: place, known: ["uid", "sha256"])
            func refusal(_ member: String, _ message: String) -> ConfigurationError {
                let position = reader.locations.nearestPosition(to: place + [member])
                return ConfigurationError(position: position, message: "\(member) \(message)")
            }
            let uid = UInt32(
                try reader.integer(members["uid"] ?? .null, at: place + ["uid"], in: 0...Int64(UInt32.max) - 1))
            // The member may hold the token itself, which must not get into the log.
            guard let digest = members["sha256"]?.stringValue.flatMap({ SHA256.digest(hexadecimal: $0) }),
                digest != SHA256().finalize()
            else {
                throw refusal("sha256", "must be the 64 hexadecimal digits of the SHA-256 of a token that is not empty")
            }
            if Access.isPrivileged(uid, owner: owner) {
                throw refusal("uid", "\(uid) may do everything, which no token proves; name another user")
            }
            if tokens.contains(where: { $0.uid == uid }) {
                throw refusal("uid", "\(uid) has a token already; give each program a user of its own")
            }
            if let other = tokens.first(where: { $0.digest == digest }) {
                throw refusal("sha256", "is that of the token of uid \(other.uid), too; make another token")
            }
            tokens.append(ClientToken(uid: uid, digest: digest))
        }
        return tokens
    }
}
