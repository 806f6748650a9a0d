/// Decides which connections a listener serves when there are more than it has room for. It neither
/// closes any nor waits.
///
/// A connection without a request under way may be closed at any time (RFC 9112, section 9.5). So a new
/// one takes the place of the longest idle one of its own client, or, where the listener is full, of
/// the client with most connections. Where all are busy, it gets one of a few further places in which
/// only the health of the service is answered.
struct ConnectionTable {
    struct Limits {
        var total: Int
        var perClient: Int
        /// Places for connections beyond the others.
        var reserve: Int

        var sum: Int { total + reserve }
    }

    struct Number: Hashable {
        fileprivate let rawValue: UInt64
    }

    /// What becomes of a new connection.
    struct Admission {
        /// `nil` if there is no room for it.
        let number: Number?
        /// The connection that makes room for it.
        let evicted: Number?
    }

    private struct Entry {
        let client: ClientAddress
        let isReserved: Bool
        var requestCount = 0
        var hasRequested = false
        /// When it became idle, as a position in the order of such events.
        var idleSince: UInt64?
    }

    private let limits: Limits
    private var entries: [Number: Entry] = [:]
    private var clients: [ClientAddress: IdleOrder] = [:]
    private var reserved = IdleOrder()
    private var nextNumber: UInt64 = 0
    private var nextPosition: UInt64 = 0

    init(_ limits: Limits) { self.limits = limits }

    var count: Int { entries.count }

    mutating func open(from client: ClientAddress) -> Admission {
        var evicted: Number?
        if clients[client, default: IdleOrder()].count >= limits.perClient {
            guard let idle = firstIdle(of: client) else { return openReserved(from: client) }
            evicted = idle
        } else if entries.count - reserved.count >= limits.total {
            guard let idle = firstIdleOfLargest() else { return openReserved(from: client) }
            evicted = idle
        }
        if let evicted { close(evicted) }
        return Admission(number: add(client, isReserved: false), evicted: evicted)
    }

    /// Whether only the health of the service is answered there.
    func isReserved(_ number: Number) -> Bool { entries[number]?.isReserved ?? false }

    func hasRequested(_ number: Number) -> Bool { entries[number]?.hasRequested ?? true }

    /// Notes that a request has begun.
    mutating func begin(_ number: Number) {
        entries[number]?.requestCount += 1
        entries[number]?.hasRequested = true
        entries[number]?.idleSince = nil
    }

    /// Notes that a request has its whole answer.
    mutating func end(_ number: Number) {
        guard var entry = entries[number], entry.requestCount > 0 else { return }
        entry.requestCount -= 1
        entries[number] = entry
        if entry.requestCount == 0 { becomeIdle(number) }
    }

    mutating func close(_ number: Number) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        if entry.isReserved {
            reserved.count -= 1
        } else {
            clients[entry.client]?.count -= 1
            if clients[entry.client]?.count == 0 { clients[entry.client] = nil }
        }
    }

    private mutating func openReserved(from client: ClientAddress) -> Admission {
        guard reserved.count >= limits.reserve else {
            return Admission(number: add(client, isReserved: true), evicted: nil)
        }
        let isIdle = isIdle
        guard let idle = reserved.first(where: isIdle) else {
            return Admission(number: nil, evicted: nil)
        }
        close(idle)
        return Admission(number: add(client, isReserved: true), evicted: idle)
    }

    private mutating func add(_ client: ClientAddress, isReserved: Bool) -> Number {
        let number = Number(rawValue: nextNumber)
        nextNumber += 1
        entries[number] = Entry(client: client, isReserved: isReserved)
        if isReserved {
            reserved.count += 1
        } else {
            clients[client, default: IdleOrder()].count += 1
        }
        becomeIdle(number)
        return number
    }

    private mutating func becomeIdle(_ number: Number) {
        guard let entry = entries[number] else { return }
        let position = nextPosition
        nextPosition += 1
        entries[number]?.idleSince = position
        let event = IdleOrder.Event(number: number, position: position)
        let isIdle = isIdle
        if entry.isReserved {
            reserved.append(event, isCurrent: isIdle)
        } else {
            clients[entry.client]?.append(event, isCurrent: isIdle)
        }
    }

    /// Whether an event still tells since when a connection is idle. It holds the entries of now.
    private var isIdle: (IdleOrder.Event) -> Bool {
        { [entries] event in entries[event.number]?.idleSince == event.position }
    }

    private mutating func firstIdle(of client: ClientAddress) -> Number? {
        let isIdle = isIdle
        return clients[client]?.first(where: isIdle)
    }

    /// Of clients with equally many connections, the one that has been idle for longest.
    private mutating func firstIdleOfLargest() -> Number? {
        var first: (count: Int, position: UInt64, number: Number)?
        for (client, count) in clients.mapValues(\.count) {
            if let first, count < first.count { continue }
            guard let number = firstIdle(of: client), let position = entries[number]?.idleSince
            else { continue }
            if let first, first.count == count, first.position < position { continue }
            first = (count, position, number)
        }
        return first?.number
    }

    /// Connections in the order in which they became idle. One that was used or closed meanwhile stays
    /// in it until it is passed.
    private struct IdleOrder {
        struct Event {
            let number: Number
            let position: UInt64
        }

        /// How many connections there are, idle or not.
        var count = 0
        private var events: [Event] = []
        private var head = 0

        mutating func append(_ event: Event, isCurrent: (Event) -> Bool) {
            events.append(event)
            guard events.count > 2 * count + 64 else { return }
            events = events[head...].filter(isCurrent)
            head = 0
        }

        mutating func first(where isCurrent: (Event) -> Bool) -> Number? {
            while head < events.count {
                if isCurrent(events[head]) { return events[head].number }
                head += 1
            }
            events.removeAll()
            head = 0
            return nil
        }
    }
}
