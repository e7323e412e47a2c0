import CSQLite

/// The layer between SQLite and the files: it counts operations, and calls a hook if there is one.
@safe final class CountingFileLayer {
    private final class Box {
        let hook: StorageHook
        init(_ hook: @escaping StorageHook) { self.hook = hook }
    }

    private let layer: UnsafeMutablePointer<csqlite_vfs>
    private let box: Box?

    init?(hook: StorageHook?) {
        let box = hook.map(Box.init)
        let created: UnsafeMutablePointer<csqlite_vfs>?
        if let box {
            unsafe created = csqlite_vfs_create(
                { context, kind, name, bytes, count, offset, allowed in
                    guard let context = unsafe context, let kind = StorageOperation.Kind(rawValue: kind) else {
                        return SQLITE_OK
                    }
                    let box = unsafe Unmanaged<Box>.fromOpaque(context).takeUnretainedValue()
                    var content: [UInt8] = []
                    if let bytes = unsafe bytes {
                        content = unsafe Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
                    }
                    var path = ""
                    if let name = unsafe name { path = unsafe String(cString: name) }
                    let operation = StorageOperation(
                        kind: kind, name: path, bytes: content, count: Int(count), offset: offset)
                    switch box.hook(operation) {
                    case .proceed: return SQLITE_OK
                    case .fail(let code): return code.rawValue
                    case .partial(let written, let code):
                        unsafe allowed?.pointee = Int32(clamping: written)
                        return code.rawValue
                    }
                }, Unmanaged.passUnretained(box).toOpaque())
        } else {
            unsafe created = csqlite_vfs_create(nil, nil)
        }
        guard let created = unsafe created else { return nil }
        self.box = box
        unsafe layer = created
    }

    deinit {
        unsafe csqlite_vfs_destroy(layer)
    }

    /// Calls `body` with the name under which SQLite knows the layer.
    func withName<Result>(_ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        unsafe body(layer.pointee.base.zName)
    }

    /// Reads more of a file than one page at once, with 256 KB of memory, or no longer.
    func setReadingAhead(_ isOn: Bool) { unsafe csqlite_set_ahead(layer, isOn ? 1 : 0) }

    /// The bytes written since the layer was made.
    var bytesWritten: Int64 { unsafe layer.pointee.bytes_written }

    /// The flushes requested since the layer was made.
    var syncs: Int64 { unsafe layer.pointee.syncs }

    /// The number of reads that failed since the layer was made.
    var failedReads: Int64 { unsafe layer.pointee.failed_reads }

    /// The code of the last read that failed.
    var lastFailedRead: SQLiteCode { SQLiteCode(rawValue: unsafe layer.pointee.last_failed_read) }
}
