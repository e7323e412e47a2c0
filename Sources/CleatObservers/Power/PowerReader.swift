/// Reads the power supplies of the machine: a sysfs, or what a test puts in its place.
package struct PowerReader: Sendable {
    /// Returns the names of the supplies, in order of their bytes, without asking a driver.
    let names: @Sendable () -> [String]
    /// Returns the properties of one supply, none if its driver failed, nil if it has gone; blocks for as long as the
    /// driver takes.
    let properties: @Sendable (_ name: String) -> PropertyBlock?

    /// Creates a reader from its functions.
    package init(
        names: @escaping @Sendable () -> [String], properties: @escaping @Sendable (_ name: String) -> PropertyBlock?
    ) {
        self.names = names
        self.properties = properties
    }

    /// Creates a reader of a sysfs.
    package init(_ sysfs: Sysfs) {
        self.init(names: { sysfs.powerSupplies }, properties: sysfs.powerSupply)
    }

    /// Reads all supplies; blocks.
    func all() -> [(name: String, properties: PropertyBlock)] {
        names().compactMap { name in properties(name).map { (name, $0) } }
    }
}
