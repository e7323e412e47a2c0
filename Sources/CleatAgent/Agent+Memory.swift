import CleatIO
import Logging

extension Agent {
    /// Releases the pages of the program text to the page cache, and logs the result at level debug.
    static func releasePages(_ log: Logger) {
        do {
            let bytes = try ProcessMemory.releaseProgram()
            log.debug("the pages of \(bytes) bytes of program are left to the page cache")
        } catch {
            log.debug("the program's pages stay mapped: \(error)")
        }
    }
}
