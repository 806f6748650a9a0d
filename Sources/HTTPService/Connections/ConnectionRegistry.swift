import NIOCore
import Synchronization

/// The open connections of a listener.
final class ConnectionRegistry: Sendable {
    /// The timeout for the first request on a new connection, in seconds.
    static let firstRequestSeconds: Int64 = 10
    /// The timeout for a reserved connection.
    private static let reservedSeconds: Int64 = 2
    /// The maximum number of connections that are being closed while new ones replace them.
    static let closingCount = 64

    /// A new connection was closed because there are too many.
    struct LimitReached: Error {}

    fileprivate struct State {
        var table: ConnectionTable
        var ids: [ObjectIdentifier: ConnectionTable.ID] = [:]
        var channels: [ConnectionTable.ID: any Channel] = [:]
    }

    private let state: Mutex<State>
    private let firstRequestTimeout: TimeAmount

    /// - Parameter requestSeconds: The timeout for receiving a request.
    init(_ limits: ConnectionTable.Limits, requestSeconds: Int64) {
        state = Mutex(State(table: ConnectionTable(limits)))
        firstRequestTimeout = .seconds(min(requestSeconds, Self.firstRequestSeconds))
    }

    /// Registers a new connection, and may close an idle one to make room for it.
    ///
    /// - Returns: Whether there is room. Otherwise the new connection is closed.
    func open(_ channel: any Channel) -> Bool {
        let client = ClientAddress(channel.remoteAddress?.ipAddress ?? "")
        let (admission, evicted) = state.withLock { state in
            let admission = state.table.open(from: client)
            if let id = admission.id { state.insert(channel, id: id) }
            return (admission, admission.evicted.flatMap { state.channels[$0] })
        }
        evicted?.close(promise: nil)
        guard let id = admission.id else {
            channel.close(promise: nil)
            return false
        }
        channel.closeFuture.whenComplete { _ in self.remove(channel, id: id) }
        expectRequest(on: channel, id: id)
        return true
    }

    /// Whether the connection is reserved for health checks.
    ///
    /// - Parameter channel: A connection, or one of its streams.
    func isReserved(_ channel: any Channel) -> Bool {
        state.withLock { state in
            state.id(of: channel).map { state.table.isReserved($0) } ?? false
        }
    }

    /// Marks the start of a request.
    func begin(_ channel: any Channel) {
        state.withLock { state in
            if let id = state.id(of: channel) { state.table.begin(id) }
        }
    }

    /// Marks the end of a request, when its response is complete.
    func end(_ channel: any Channel) {
        state.withLock { state in
            if let id = state.id(of: channel) { state.table.end(id) }
        }
    }

    private func remove(_ channel: any Channel, id: ConnectionTable.ID) {
        state.withLock { state in
            state.table.close(id)
            state.channels[id] = nil
            state.ids[ObjectIdentifier(channel)] = nil
        }
    }

    private func expectRequest(on channel: any Channel, id: ConnectionTable.ID) {
        let timeout = isReserved(channel) ? .seconds(Self.reservedSeconds) : firstRequestTimeout
        let timer = channel.eventLoop.scheduleTask(in: timeout) {
            let isSilent = self.state.withLock { !$0.table.hasRequested(id) }
            if isSilent { channel.close(promise: nil) }
        }
        channel.closeFuture.whenComplete { _ in timer.cancel() }
    }
}

extension ConnectionRegistry.State {
    fileprivate mutating func insert(_ channel: any Channel, id: ConnectionTable.ID) {
        ids[ObjectIdentifier(channel)] = id
        channels[id] = channel
    }

    fileprivate func id(of channel: any Channel) -> ConnectionTable.ID? {
        ids[ObjectIdentifier(channel)] ?? channel.parent.flatMap { ids[ObjectIdentifier($0)] }
    }
}
