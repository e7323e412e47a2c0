import CleatAPI
import CleatIO
import SystemPackage

/// The block device that a file is on, by sysfs.
enum BlockDevice {
    /// Describes the device of a file.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - sysfs: The mount point of sysfs.
    /// - Returns: The device; nil if the file is on none, as in memory.
    static func of(_ path: FilePath, sysfs: FilePath = "/sys") -> StorageDevice? {
        guard let device = FileMoves.deviceNumbers(of: path) else { return nil }
        return described(sysfs.appending("dev/block").appending("\(device.major):\(device.minor)"))
    }

    /// Describes a device by its directory.
    static func described(_ directory: FilePath) -> StorageDevice? {
        func text(_ name: String, _ limit: Int = 256) -> String? {
            try? SmallFile.text("\(whole)/\(name)", limit: limit)
        }
        func bytes(_ sectors: Int64) -> Int64 { min(sectors, .max / 512) * 512 }
        // A partition's directory is in that of the whole device.
        let isPart = FileMoves.exists(directory.appending("partition").string)
        let whole = isPart ? directory.appending("..") : directory
        // Documentation/block/stat.rst: the seventh number is the sectors written, the sixteenth the flushes.
        guard let stat = text("stat")?.split(whereSeparator: \.isWhitespace).map({ Int64($0) ?? 0 }), stat.count >= 11,
            let sectors = text("size").flatMap({ Int64($0.filter(\.isNumber)) }),
            let event = text("uevent", 4_096)
        else { return nil }
        let name = event.split(separator: "\n").first { $0.hasPrefix("DEVNAME=") }
        // Documentation/driver-api/mmc/mmc-dev-attrs.rst: two estimates of the used life, in tenths; 0 is unknown.
        let life = text("device/life_time")?.split(whereSeparator: \.isWhitespace).compactMap {
            Int64($0.dropFirst(2), radix: 16)
        }.max()
        return StorageDevice(
            name: name.map { String($0.dropFirst("DEVNAME=".utf8.count)) } ?? "?",
            kind: text("device/type").map { String($0.prefix { !$0.isWhitespace }) }.flatMap {
                ["SD", "MMC"].contains($0) ? $0 : nil
            } ?? "disk",
            capacity: bytes(sectors), written: bytes(stat[6]), flushes: stat.count >= 16 ? stat[15] : nil,
            lifeUsed: life.flatMap { (1...11).contains($0) ? min(100, $0 * 10) : nil })
    }
}
