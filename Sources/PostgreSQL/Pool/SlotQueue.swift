/// The connections of one class, and the queue of requests that wait for one. A state machine
/// without I/O.
struct SlotQueue<Member: AnyObject, Request: AnyObject> {
    /// The result of a request.
    enum Admission {
        /// An idle connection.
        case use(Member)
        /// The right to open a connection.
        case open
        /// A position in the queue.
        case wait
    }

    private let limit: Int
    /// Connections that exist or are being opened.
    private(set) var openCount = 0
    /// Unused connections. The last one was used most recently.
    private(set) var idle: [Member] = []
    /// In the order of arrival.
    private(set) var waiting: [Request] = []

    init(limit: Int) { self.limit = limit }

    mutating func admit(_ request: Request) -> Admission {
        if waiting.isEmpty, let admission = freeSlot() { return admission }
        waiting.append(request)
        return .wait
    }

    /// Adds a connection that is no longer in use.
    ///
    /// - Returns: The request that gets it, or `nil` if none waits.
    mutating func add(_ member: Member) -> Request? {
        guard waiting.isEmpty else { return waiting.removeFirst() }
        idle.append(member)
        return nil
    }

    /// Records that a connection has ended, or could not be opened.
    ///
    /// - Returns: The request that may open another one, or `nil` if none waits.
    mutating func removeOne() -> Request? {
        openCount -= 1
        guard !waiting.isEmpty, openCount < limit else { return nil }
        openCount += 1
        return waiting.removeFirst()
    }

    /// - Returns: Whether the request was waiting.
    mutating func forget(_ request: Request) -> Bool {
        guard let index = waiting.firstIndex(where: { $0 === request }) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// - Returns: Whether the connection was unused.
    mutating func withdraw(_ member: Member) -> Bool {
        guard let index = idle.firstIndex(where: { $0 === member }) else { return false }
        idle.remove(at: index)
        return true
    }

    /// Removes and returns all idle connections and waiting requests.
    mutating func drain() -> (idle: [Member], waiting: [Request]) {
        defer { (idle, waiting) = ([], []) }
        return (idle, waiting)
    }

    private mutating func freeSlot() -> Admission? {
        if let member = idle.popLast() { return .use(member) }
        guard openCount < limit else { return nil }
        openCount += 1
        return .open
    }
}
