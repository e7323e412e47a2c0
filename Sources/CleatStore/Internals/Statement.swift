import CSQLite

/// A prepared SQL statement, with strictly typed columns.
@safe package final class Statement {
    private let connection: Connection
    private let pointer: OpaquePointer
    /// The statement's text.
    package let sql: String

    init(_ connection: Connection, _ sql: String, persistent: Bool) throws(SQLiteError) {
        var prepared: OpaquePointer?
        let flags: UInt32 = persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        try connection.check(
            unsafe sqlite3_prepare_v3(connection.pointer, sql, -1, flags, &prepared, nil), sql: sql)
        guard let pointer = unsafe prepared else {
            throw SQLiteError(code: .error, sql: sql, message: "there is no statement in the text")
        }
        self.connection = connection
        unsafe self.pointer = pointer
        self.sql = sql
    }

    deinit {
        unsafe sqlite3_finalize(pointer)
    }

    /// Binds values to the parameters, from the first on.
    package func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
        var index: Int32 = 1
        for value in values {
            let result =
                switch value {
                case .null: unsafe sqlite3_bind_null(pointer, index)
                case .integer(let value): unsafe sqlite3_bind_int64(pointer, index, value)
                case .text(let value): bind(text: value, at: index)
                case .blob(let value):
                    unsafe value.withUnsafeBytes {
                        unsafe csqlite_bind_blob(pointer, index, $0.baseAddress, Int32(clamping: $0.count))
                    }
                }
            try connection.check(result, sql: sql)
            index += 1
        }
    }

    /// Steps to the next row.
    ///
    /// - Returns: false if there is none.
    package func step() throws(SQLiteError) -> Bool {
        let result = unsafe sqlite3_step(pointer)
        if result == SQLITE_ROW { return true }
        try connection.check(result, sql: sql)
        return false
    }

    /// Makes the statement ready to run again, and clears its bindings.
    package func reset() {
        unsafe sqlite3_reset(pointer)
        unsafe sqlite3_clear_bindings(pointer)
    }

    /// Reads a column of the current row.
    package func column<Value: SQLiteColumn>(
        _ index: Int, as type: Value.Type = Value.self
    ) throws(SQLiteError) -> Value {
        try Value.read(self, index)
    }

    func isNull(_ index: Int) -> Bool {
        unsafe sqlite3_column_type(pointer, Int32(clamping: index)) == SQLITE_NULL
    }

    func integer(_ index: Int) throws(SQLiteError) -> Int64 {
        try expect(SQLITE_INTEGER, "an integer", index)
        return unsafe sqlite3_column_int64(pointer, Int32(clamping: index))
    }

    func text(_ index: Int) throws(SQLiteError) -> String {
        try expect(SQLITE_TEXT, "a text", index)
        let start = unsafe UnsafeRawPointer(sqlite3_column_text(pointer, Int32(clamping: index)))
        let content = unsafe try bytes(index, start)
        return unsafe String(decoding: content, as: UTF8.self)
    }

    /// Passes the bytes of a text to a closure; they are valid until it returns.
    func withText<Value>(
        _ index: Int, _ body: (UnsafeRawBufferPointer) -> Value
    ) throws(SQLiteError) -> Value {
        try expect(SQLITE_TEXT, "a text", index)
        let start = unsafe UnsafeRawPointer(sqlite3_column_text(pointer, Int32(clamping: index)))
        return unsafe body(try bytes(index, start))
    }

    /// Returns true if a text has the same bytes as another one.
    func isText(_ index: Int, _ other: String) throws(SQLiteError) -> Bool {
        unsafe try withText(index) { bytes in
            unsafe other.utf8.withContiguousStorageIfAvailable { other in unsafe other.elementsEqual(bytes) }
                ?? other.utf8.elementsEqual(bytes)
        }
    }

    func blob(_ index: Int) throws(SQLiteError) -> [UInt8] {
        try expect(SQLITE_BLOB, "bytes", index)
        let start = unsafe sqlite3_column_blob(pointer, Int32(clamping: index))
        let content = unsafe try bytes(index, start)
        return unsafe Array(content)
    }

    private func bind(text: String, at index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) {
                unsafe csqlite_bind_text(pointer, index, $0.baseAddress, Int32(clamping: $0.count))
            }
        }
    }

    private func bytes(_ index: Int, _ start: UnsafeRawPointer?) throws(SQLiteError) -> UnsafeRawBufferPointer {
        let count = unsafe Int(sqlite3_column_bytes(pointer, Int32(clamping: index)))
        if unsafe start == nil, count > 0 {
            throw SQLiteError(code: .outOfMemory, sql: sql, message: "out of memory")
        }
        return unsafe UnsafeRawBufferPointer(start: start, count: count)
    }

    private func expect(_ type: Int32, _ name: String, _ index: Int) throws(SQLiteError) {
        guard unsafe sqlite3_column_type(pointer, Int32(clamping: index)) != type else { return }
        throw SQLiteError(code: .mismatch, sql: sql, message: "column \(index) does not hold \(name)")
    }
}
