/// A result that the server sent, freed when the value is destroyed.
@safe
struct ServerResult: ~Copyable {
    /// The kinds of result in the response to a statement.
    enum Kind {
        /// The end of a statement without rows.
        case command
        /// The end of a statement with rows.
        case endOfRows
        /// One row of several.
        case row
        /// A failed statement, or a lost connection.
        case error
        /// A statement that the server skipped because an earlier one failed.
        case skipped
        /// The end of a pipeline.
        case sync
        /// A kind of response that does not occur in pipelines.
        case unexpected
    }

    private let library: LibPQ
    private let handle: OpaquePointer

    init(_ library: LibPQ, handle: OpaquePointer) {
        self.library = library
        unsafe self.handle = handle
    }

    deinit { unsafe library.clear(handle) }

    /// The kind by `ExecStatusType` of `libpq-fe.h`.
    var kind: Kind {
        switch unsafe library.resultStatus(handle) {
        case 0, 1: .command
        case 2: .endOfRows
        case 7: .error
        case 9: .row
        case 10: .sync
        case 11: .skipped
        default: .unexpected
        }
    }

    /// The command that was executed, such as `COMMIT`.
    var commandTag: String { unsafe Self.text(library.commandTag(handle)) ?? "" }

    /// The number of rows that the command inserted, changed, removed or selected.
    var affectedRows: Int {
        unsafe Self.text(library.affectedRows(handle)).flatMap { Int($0) } ?? 0
    }

    var columns: [ResultColumn] {
        (0..<(unsafe library.columnCount(handle))).map { index in
            ResultColumn(
                name: unsafe Self.text(library.columnName(handle, index)) ?? "",
                type: unsafe library.columnType(handle, index),
                isBinary: unsafe library.columnFormat(handle, index) == 1)
        }
    }

    /// The error that the result reports.
    var error: ServerError {
        ServerError(
            sqlState: field("C") ?? "", severity: field("V") ?? field("S") ?? "",
            message: field("M")?.onOneLine ?? "", detail: field("D"),
            hint: field("H")?.onOneLine,
            table: field("t"), constraint: field("n"))
    }

    /// Appends a value of the result's first row.
    ///
    /// - Returns: The value's length in bytes, or `nil` if it is null.
    func appendValue(column: Int32, to bytes: inout [UInt8]) -> Int? {
        guard unsafe library.isNull(handle, 0, column) == 0 else { return nil }
        let length = Int(unsafe library.length(handle, 0, column))
        guard length > 0, let start = unsafe library.value(handle, 0, column) else { return 0 }
        unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: length))
        return length
    }

    /// Returns a field of an error by its code in the protocol.
    private func field(_ code: Unicode.Scalar) -> String? {
        unsafe Self.text(library.resultField(handle, Int32(code.value)))
    }

    /// Copies a text. Invalid UTF-8 is repaired.
    static func text(_ start: UnsafePointer<CChar>?) -> String? {
        unsafe start.map { unsafe String(cString: $0) }
    }
}
