/// Decides which connections a listener keeps when it reaches its limits. A state machine without
/// I/O.
///
/// A connection without a request in progress may be closed at any time (RFC 9112, section 9.5). A
/// new connection therefore replaces the longest idle one of its own client or, if the listener is
/// full, of the client with the most connections. If all are busy, it becomes one of a few reserved
/// connections, which serve only health checks.
struct ConnectionTable {
    struct Limits {
        var total: Int
        var perClient: Int
        /// The number of reserved connections, in addition to `total`.
        var reserve: Int

        var sum: Int { total + reserve }
    }

    struct ID: Hashable {
        fileprivate let rawValue: UInt64
    }

    /// The decision about a new connection.
    struct Admission {
        /// The connection's identifier, or `nil` if there is no room.
        let id: ID?
        /// The connection to close to make room, or `nil` if there is enough room.
        let evicted: ID?
    }

    private struct Entry {
        let client: ClientAddress
        let isReserved: Bool
        var requestCount = 0
        var hasRequested = false
        /// The position of the event in which it became idle, or `nil` if it is busy.
        var idleSince: UInt64?
    }

    private let limits: Limits
    private var entries: [ID: Entry] = [:]
    private var clients: [ClientAddress: IdleOrder] = [:]
    private var reserved = IdleOrder()
    private var nextID: UInt64 = 0
    private var nextPosition: UInt64 = 0

    init(_ limits: Limits) { self.limits = limits }

    var count: Int { entries.count }

    mutating func open(from client: ClientAddress) -> Admission {
        var evicted: ID?
        if clients[client, default: IdleOrder()].count >= limits.perClient {
            guard let idle = firstIdle(of: client) else { return openReserved(from: client) }
            evicted = idle
        } else if entries.count - reserved.count >= limits.total {
            guard let idle = firstIdleOfLargest() else { return openReserved(from: client) }
            evicted = idle
        }
        if let evicted { close(evicted) }
        return Admission(id: add(client, isReserved: false), evicted: evicted)
    }

    /// Whether the connection is reserved for health checks.
    func isReserved(_ id: ID) -> Bool { entries[id]?.isReserved ?? false }

    func hasRequested(_ id: ID) -> Bool { entries[id]?.hasRequested ?? true }

    /// Marks the start of a request.
    mutating func begin(_ id: ID) {
        guard var entry = entries[id] else { return }
        entry.requestCount += 1
        entry.hasRequested = true
        entry.idleSince = nil
        entries[id] = entry
    }

    /// Marks the end of a request, when its response is complete.
    mutating func end(_ id: ID) {
        guard var entry = entries[id], entry.requestCount > 0 else { return }
        entry.requestCount -= 1
        entries[id] = entry
        if entry.requestCount == 0 { becomeIdle(id) }
    }

    mutating func close(_ id: ID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        if entry.isReserved {
            reserved.count -= 1
        } else {
            clients[entry.client]?.count -= 1
            if clients[entry.client]?.count == 0 { clients[entry.client] = nil }
        }
    }

    private mutating func openReserved(from client: ClientAddress) -> Admission {
        guard reserved.count >= limits.reserve else {
            return Admission(id: add(client, isReserved: true), evicted: nil)
        }
        guard let idle = reserved.first(in: entries) else {
            return Admission(id: nil, evicted: nil)
        }
        close(idle)
        return Admission(id: add(client, isReserved: true), evicted: idle)
    }

    private mutating func add(_ client: ClientAddress, isReserved: Bool) -> ID {
        let id = ID(rawValue: nextID)
        nextID += 1
        entries[id] = Entry(client: client, isReserved: isReserved)
        if isReserved {
            reserved.count += 1
        } else {
            clients[client, default: IdleOrder()].count += 1
        }
        becomeIdle(id)
        return id
    }

    private mutating func becomeIdle(_ id: ID) {
        guard var entry = entries[id] else { return }
        let position = nextPosition
        nextPosition += 1
        entry.idleSince = position
        entries[id] = entry
        let event = IdleOrder.Event(id: id, position: position)
        if entry.isReserved {
            reserved.append(event, in: entries)
        } else if let index = clients.index(forKey: entry.client) {
            clients.values[index].append(event, in: entries)
        }
    }

    private mutating func firstIdle(of client: ClientAddress) -> ID? {
        clients[client]?.first(in: entries)
    }

    /// Returns the longest idle connection of the clients with the most connections.
    private mutating func firstIdleOfLargest() -> ID? {
        var first: (count: Int, position: UInt64, id: ID)?
        for (client, count) in clients.mapValues(\.count) {
            if let first, count < first.count { continue }
            guard let id = firstIdle(of: client), let position = entries[id]?.idleSince
            else { continue }
            if let first, first.count == count, first.position < position { continue }
            first = (count, position, id)
        }
        return first?.id
    }

    /// Connections in the order in which they became idle. Events of connections that have since
    /// been used or closed are skipped when they are reached.
    private struct IdleOrder {
        struct Event {
            let id: ID
            let position: UInt64

            /// Whether it is the latest of an idle connection.
            func isCurrent(in entries: [ID: Entry]) -> Bool {
                entries[id]?.idleSince == position
            }
        }

        /// The number of connections, idle or not.
        var count = 0
        private var events: [Event] = []
        private var head = 0

        mutating func append(_ event: Event, in entries: [ID: Entry]) {
            events.append(event)
            guard events.count > 2 * count + 64 else { return }
            events = events[head...].filter { $0.isCurrent(in: entries) }
            head = 0
        }

        mutating func first(in entries: [ID: Entry]) -> ID? {
            while head < events.count {
                if events[head].isCurrent(in: entries) { return events[head].id }
                head += 1
            }
            events.removeAll()
            head = 0
            return nil
        }
    }
}
