import CSQLite
import SystemPackage

/// An SQLite connection and the file layer under it; it is closed when its last statement is released.
@safe final class Connection {
    let pointer: OpaquePointer
    let layer: CountingFileLayer

    init(path: String, hook: StorageHook?) throws(SQLiteError) {
        _ = Self.configured
        guard let layer = CountingFileLayer(hook: hook) else {
            throw SQLiteError(code: .outOfMemory, sql: "open \(path)", message: "out of memory")
        }
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let result = unsafe layer.withName { name in unsafe sqlite3_open_v2(path, &opened, flags, name) }
        guard let pointer = unsafe opened else {
            throw SQLiteError(code: .outOfMemory, sql: "open \(path)", message: "out of memory")
        }
        guard result == SQLITE_OK else {
            let error = unsafe Self.failure(pointer, result, sql: "open \(path)")
            unsafe sqlite3_close_v2(pointer)
            throw error
        }
        unsafe self.pointer = pointer
        self.layer = layer
        unsafe sqlite3_limit(pointer, SQLITE_LIMIT_LENGTH, 16 << 20)
        unsafe sqlite3_limit(pointer, SQLITE_LIMIT_ATTACHED, 0)
    }

    deinit {
        unsafe sqlite3_close_v2(pointer)
    }

    func check(_ result: Int32, sql: @autoclosure () -> String) throws(SQLiteError) {
        guard result != SQLITE_OK, result != SQLITE_ROW, result != SQLITE_DONE else { return }
        throw unsafe Self.failure(pointer, result, sql: sql())
    }

    private static func failure(_ pointer: OpaquePointer, _ result: Int32, sql: String) -> SQLiteError {
        var message = ""
        if let text = unsafe sqlite3_errmsg(pointer) { message = unsafe String(cString: text) }
        let system = unsafe sqlite3_system_errno(pointer)
        let code = SQLiteCode(rawValue: result)
        let storage: [SQLiteCode] = [.inputOutput, .cannotOpen, .full, .readOnly, .permission]
        return SQLiteError(
            code: code, sql: sql, message: message,
            cause: system != 0 && storage.contains(code.primary) ? Errno(rawValue: system) : nil)
    }

    /// The result of configuring SQLite, once per process before the first use; SQLite refuses it without harm if the
    /// program has used SQLite before.
    private static let configured: Int32 = csqlite_configure()
}
