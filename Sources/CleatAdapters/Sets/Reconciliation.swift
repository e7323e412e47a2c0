package import CleatSettings

/// Says what is to be done for the system to be what the settings say, where nobody else has changed it.
package struct Reconciliation: Sendable {
    /// When it is looked at.
    package enum Occasion: Hashable, Sendable {
        /// The kernel was started anew, and knows nothing of the settings.
        case boot
        /// The service was started anew, or reads other files: what somebody has changed since stays.
        case restart
        /// Somebody wants to know; what is missing is told, too.
        case look
        /// These shall be what the settings say, whoever has changed them.
        case repair(Set<Resource>)
    }

    /// A resource that is as it shall be, to be remembered.
    package struct Found: Hashable, Sendable {
        /// The resource.
        package let resource: Resource
        /// The adapter that it follows.
        package let adapter: String
        /// What stands for what it shall be.
        package let wanted: String
        /// What stands for what it is.
        package let found: String
    }

    /// What is to be written, or brought back.
    package internal(set) var change = SystemChange()
    /// What somebody has changed, and what stays for that.
    package internal(set) var drift: [Drift] = []
    /// What is as it shall be, and is not remembered yet.
    package internal(set) var found: [Found] = []
    /// What is to be forgotten: nothing is wanted of it, and there is nothing to bring back.
    package internal(set) var forgotten: [Resource] = []
    /// Why settings cannot be followed; the others are.
    package internal(set) var problems: [SettingProblem] = []
}
