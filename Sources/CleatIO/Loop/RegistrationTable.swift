/// The registrations of a loop by key.
///
/// A key holds a slot and a generation, so a pending event of an ended registration finds nothing, even if the slot has
/// been reused.
struct RegistrationTable {
    private var slots: [(generation: UInt32, registration: Registration?)] = []
    private var free: [Int] = []
    private(set) var count = 0

    subscript(key: UInt64) -> Registration? {
        let index = Int(key & 0xffff_ffff)
        guard index < slots.count, slots[index].generation == UInt32(key >> 32) else { return nil }
        return slots[index].registration
    }

    mutating func add(_ make: (_ key: UInt64) -> Registration) -> Registration {
        let index: Int
        if let reused = free.popLast() {
            index = reused
            slots[index].generation = (slots[index].generation &+ 1) & 0x7fff_ffff
        } else {
            index = slots.count
            slots.append((0, nil))
        }
        let registration = make(UInt64(slots[index].generation) << 32 | UInt64(index))
        slots[index].registration = registration
        count += 1
        return registration
    }

    /// Removes a registration; returns false if it was removed before.
    @discardableResult
    mutating func remove(_ key: UInt64) -> Bool {
        guard self[key] != nil else { return false }
        let index = Int(key & 0xffff_ffff)
        slots[index].registration = nil
        free.append(index)
        count -= 1
        return true
    }
}
