// The protocols of files, typed keys, their values, and the types in errors are part of this library's own interface.
@_exported public import CleatFiles
import CleatIO
@_exported public import CleatJSON
@_exported public import CleatSettings

extension Timestamp {
    /// The present time of the system's clock, to the millisecond. `clock_gettime(2)`, CLOCK_REALTIME
    public static var now: Timestamp { Timestamp(clampingMilliseconds: WallTime.now().milliseconds) }
}
