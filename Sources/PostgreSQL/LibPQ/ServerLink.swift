/// An open connection of libpq, closed when the value is destroyed. One thread at a time may use
/// it.
///
/// All functions except ``open(_:_:)`` return without blocking.
@safe
struct ServerLink: ~Copyable {
    /// The progress of sending.
    enum Flushing { case finished, blocked, failed }

    private let library: LibPQ
    private let handle: OpaquePointer

    /// - Parameter handle: A `PGconn`, connected or not.
    private init(_ library: LibPQ, handle: OpaquePointer) {
        self.library = library
        unsafe self.handle = handle
    }

    /// Connects to the first suitable host. Blocks for up to `connect_timeout` for each address.
    ///
    /// - Throws: ``DatabaseError/cannotConnect(_:)`` with the reason of each host.
    static func open(
        _ parameters: [(name: String, value: String)], _ library: LibPQ
    ) throws(DatabaseError) -> ServerLink {
        let names = CStringList(parameters.map(\.name))
        let values = CStringList(parameters.map(\.value))
        let handle = unsafe names.withPointers { names in
            unsafe values.withPointers { values in unsafe library.connect(names, values, 0) }
        }
        guard let handle = unsafe handle else {
            throw .cannotConnect([HostFailure(host: nil, reason: "out of memory")])
        }
        let link = unsafe ServerLink(library, handle: handle)
        guard link.isIntact, link.startPipelining() else {
            throw .cannotConnect(HostFailure.list(from: link.errorMessages))
        }
        return link
    }

    deinit { unsafe library.finish(handle) }

    private func startPipelining() -> Bool {
        // libpq writes notices to standard error unless there is a receiver.
        _ = unsafe library.setNoticeReceiver(handle, { _, _ in }, nil)
        return unsafe library.setNonblocking(handle, 1) == 0
            && library.enterPipelineMode(handle) == 1
    }

    /// Whether the connection is intact, as far as libpq has noticed.
    var isIntact: Bool { unsafe library.status(handle) == 0 }

    /// Whether the connection is between two transactions.
    var isIdle: Bool { unsafe library.transactionStatus(handle) == 0 }

    /// The last error on one line.
    var errorMessage: String { errorMessages.onOneLine }

    private var errorMessages: String {
        unsafe ServerResult.text(library.errorMessage(handle)) ?? ""
    }

    var socket: Int32 { unsafe library.socket(handle) }

    /// Queues a statement for sending.
    ///
    /// - Returns: Whether libpq accepted it.
    func send(_ statement: Statement) -> Bool {
        let parameters = statement.parameters
        let formats = [Int32](repeating: 1, count: parameters.types.count)
        return unsafe parameters.withPointers { values in
            unsafe library.sendQuery(
                handle, statement.text, Int32(parameters.types.count), parameters.types, values,
                parameters.lengths, formats, 1) == 1
        }
    }

    /// Queues the end of a pipeline for sending.
    func sendSync() -> Bool { unsafe library.pipelineSync(handle) == 1 }

    /// Sends as much of the queued statements as the socket accepts.
    func flush() -> Flushing {
        switch unsafe library.flush(handle) {
        case 0: .finished
        case 1: .blocked
        default: .failed
        }
    }

    /// Makes the next statement's rows arrive one by one. Must be called before its first result.
    func receiveSingleRows() { _ = unsafe library.setSingleRowMode(handle) }

    /// Reads what has arrived.
    ///
    /// - Returns: Whether the connection is intact.
    func consumeInput() -> Bool { unsafe library.consumeInput(handle) == 1 && isIntact }

    /// Whether ``nextResult()`` would block.
    var isBusy: Bool { unsafe library.isBusy(handle) == 1 }

    /// Returns the next result, or `nil` at the end of a statement.
    func nextResult() -> ServerResult? {
        guard let result = unsafe library.getResult(handle) else { return nil }
        return unsafe ServerResult(library, handle: result)
    }

    /// Returns a request to end the running statement, or `nil` if the connection is lost.
    func cancelRequest() -> CancelRequest? {
        guard let request = unsafe library.getCancel(handle) else { return nil }
        return unsafe CancelRequest(library, handle: request)
    }
}
