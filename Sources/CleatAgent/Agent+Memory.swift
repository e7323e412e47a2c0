import CleatIO
import Logging

extension Agent {
    /// Lets go of the program's pages, and says so where that is listened to.
    static func releasePages(_ log: Logger) {
        do {
            let bytes = try ProcessMemory.releaseProgram()
            log.debug("the pages of \(bytes) bytes of program are left to the page cache")
        } catch {
            log.debug("the program's pages stay mapped: \(error)")
        }
    }
}
