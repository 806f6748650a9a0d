import ClientLibraries
import Glibc

/// The functions of libpq that this module calls, looked up when the library is loaded.
///
/// The library is loaded at runtime rather than linked: with its 25 dependencies, linking it would
/// multiply the start-up time of every command.
@safe
struct LibPQ: Sendable {
    typealias CString = UnsafePointer<CChar>
    typealias NoticeReceiver = @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Void

    let connect:
        @Sendable @convention(c) (UnsafePointer<CString?>, UnsafePointer<CString?>, Int32) ->
            OpaquePointer?
    let finish: @Sendable @convention(c) (OpaquePointer) -> Void
    let status: @Sendable @convention(c) (OpaquePointer) -> Int32
    let transactionStatus: @Sendable @convention(c) (OpaquePointer) -> Int32
    let errorMessage: @Sendable @convention(c) (OpaquePointer) -> CString?
    let socket: @Sendable @convention(c) (OpaquePointer) -> Int32
    let setNoticeReceiver:
        @Sendable @convention(c) (OpaquePointer, NoticeReceiver?, UnsafeMutableRawPointer?) ->
            NoticeReceiver?
    let setNonblocking: @Sendable @convention(c) (OpaquePointer, Int32) -> Int32
    let enterPipelineMode: @Sendable @convention(c) (OpaquePointer) -> Int32
    let sendQuery:
        @Sendable @convention(c) (
            OpaquePointer, CString, Int32, UnsafePointer<UInt32>?, UnsafePointer<CString?>?,
            UnsafePointer<Int32>?, UnsafePointer<Int32>?, Int32
        ) -> Int32
    let pipelineSync: @Sendable @convention(c) (OpaquePointer) -> Int32
    let setSingleRowMode: @Sendable @convention(c) (OpaquePointer) -> Int32
    let flush: @Sendable @convention(c) (OpaquePointer) -> Int32
    let consumeInput: @Sendable @convention(c) (OpaquePointer) -> Int32
    let isBusy: @Sendable @convention(c) (OpaquePointer) -> Int32
    let getResult: @Sendable @convention(c) (OpaquePointer) -> OpaquePointer?
    let getCancel: @Sendable @convention(c) (OpaquePointer) -> OpaquePointer?
    let cancel:
        @Sendable @convention(c) (OpaquePointer, UnsafeMutablePointer<CChar>, Int32) -> Int32
    let freeCancel: @Sendable @convention(c) (OpaquePointer) -> Void
    let clear: @Sendable @convention(c) (OpaquePointer) -> Void
    let resultStatus: @Sendable @convention(c) (OpaquePointer) -> Int32
    let resultField: @Sendable @convention(c) (OpaquePointer, Int32) -> CString?
    let columnCount: @Sendable @convention(c) (OpaquePointer) -> Int32
    let columnName: @Sendable @convention(c) (OpaquePointer, Int32) -> CString?
    let columnType: @Sendable @convention(c) (OpaquePointer, Int32) -> UInt32
    let columnFormat: @Sendable @convention(c) (OpaquePointer, Int32) -> Int32
    let commandTag: @Sendable @convention(c) (OpaquePointer) -> CString?
    let affectedRows: @Sendable @convention(c) (OpaquePointer) -> CString?
    let isNull: @Sendable @convention(c) (OpaquePointer, Int32, Int32) -> Int32
    let length: @Sendable @convention(c) (OpaquePointer, Int32, Int32) -> Int32
    let value: @Sendable @convention(c) (OpaquePointer, Int32, Int32) -> CString?
    let parseOptions:
        @Sendable @convention(c) (CString, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) ->
            UnsafeMutableRawPointer?
    let freeOptions: @Sendable @convention(c) (UnsafeMutableRawPointer) -> Void
    let freeMemory: @Sendable @convention(c) (UnsafeMutableRawPointer) -> Void

    /// The library, loaded on first use.
    static let loaded = Result { () throws(DatabaseError) in try LibPQ(path: "libpq.so.5") }

    /// Loads the library, which stays loaded until the process ends.
    ///
    /// - Throws: ``DatabaseError/libraryUnavailable(_:)`` if it is missing or older than version
    ///   14.
    init(path: String) throws(DatabaseError) {
        let library = try SharedLibrary(
            path: path, failure: DatabaseError.libraryUnavailable)
        unsafe connect = try library.function("PQconnectdbParams")
        unsafe finish = try library.function("PQfinish")
        unsafe status = try library.function("PQstatus")
        unsafe transactionStatus = try library.function("PQtransactionStatus")
        unsafe errorMessage = try library.function("PQerrorMessage")
        unsafe socket = try library.function("PQsocket")
        unsafe setNoticeReceiver = try library.function("PQsetNoticeReceiver")
        unsafe setNonblocking = try library.function("PQsetnonblocking")
        unsafe enterPipelineMode = try library.function("PQenterPipelineMode")
        unsafe sendQuery = try library.function("PQsendQueryParams")
        unsafe pipelineSync = try library.function("PQpipelineSync")
        unsafe setSingleRowMode = try library.function("PQsetSingleRowMode")
        unsafe flush = try library.function("PQflush")
        unsafe consumeInput = try library.function("PQconsumeInput")
        unsafe isBusy = try library.function("PQisBusy")
        unsafe getResult = try library.function("PQgetResult")
        unsafe getCancel = try library.function("PQgetCancel")
        unsafe cancel = try library.function("PQcancel")
        unsafe freeCancel = try library.function("PQfreeCancel")
        unsafe clear = try library.function("PQclear")
        unsafe resultStatus = try library.function("PQresultStatus")
        unsafe resultField = try library.function("PQresultErrorField")
        unsafe columnCount = try library.function("PQnfields")
        unsafe columnName = try library.function("PQfname")
        unsafe columnType = try library.function("PQftype")
        unsafe columnFormat = try library.function("PQfformat")
        unsafe commandTag = try library.function("PQcmdStatus")
        unsafe affectedRows = try library.function("PQcmdTuples")
        unsafe isNull = try library.function("PQgetisnull")
        unsafe length = try library.function("PQgetlength")
        unsafe value = try library.function("PQgetvalue")
        unsafe parseOptions = try library.function("PQconninfoParse")
        unsafe freeOptions = try library.function("PQconninfoFree")
        unsafe freeMemory = try library.function("PQfreemem")
    }
}

/// `PQconninfoOption`, an option of a connection with its value.
@unsafe
struct ConnectionOption {
    let keyword: UnsafePointer<CChar>?
    let environmentVariable: UnsafePointer<CChar>?
    let compiledDefault: UnsafePointer<CChar>?
    let value: UnsafePointer<CChar>?
    let label: UnsafePointer<CChar>?
    let displayHint: UnsafePointer<CChar>?
    let displaySize: Int32
}
