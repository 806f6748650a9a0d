import NIOCore
import Synchronization

/// The open connections of one listener.
final class Connections: Sendable {
    /// How long a new connection may be silent before its first request, in seconds.
    static let firstRequestSeconds: Int64 = 10
    /// The same where only the health of the service is answered.
    private static let reservedSeconds: Int64 = 2
    /// Connections that are being closed while others take their places.
    static let closingCount = 64

    fileprivate struct State {
        var table: ConnectionTable
        var numbers: [ObjectIdentifier: ConnectionTable.Number] = [:]
        var channels: [ConnectionTable.Number: any Channel] = [:]
    }

    private let state: Mutex<State>
    private let firstRequestTime: TimeAmount

    /// - Parameter requestSeconds: How long any request may take to arrive.
    init(_ limits: ConnectionTable.Limits, requestSeconds: Int64) {
        state = Mutex(State(table: ConnectionTable(limits)))
        firstRequestTime = .seconds(min(requestSeconds, Self.firstRequestSeconds))
    }

    /// Takes a new connection in, which may close another one.
    ///
    /// - Returns: Whether there is room for it. If not, it is closed.
    func open(_ channel: any Channel) -> Bool {
        let client = ClientAddress(channel.remoteAddress?.ipAddress ?? "")
        let (admission, evicted) = state.withLock { state in
            let admission = state.table.open(from: client)
            if let number = admission.number { state.keep(channel, as: number) }
            return (admission, admission.evicted.flatMap { state.channels[$0] })
        }
        evicted?.close(promise: nil)
        guard let number = admission.number else {
            channel.close(promise: nil)
            return false
        }
        channel.closeFuture.whenComplete { _ in self.close(channel, number) }
        expectRequest(channel, number)
        return true
    }

    /// Whether only the health of the service is answered there.
    ///
    /// - Parameter channel: A connection, or a stream of one.
    func isReserved(_ channel: any Channel) -> Bool {
        state.withLock { state in
            state.number(of: channel).map { state.table.isReserved($0) } ?? false
        }
    }

    /// Notes that a request has begun.
    func begin(_ channel: any Channel) {
        state.withLock { state in
            if let number = state.number(of: channel) { state.table.begin(number) }
        }
    }

    /// Notes that a request has its whole answer.
    func end(_ channel: any Channel) {
        state.withLock { state in
            if let number = state.number(of: channel) { state.table.end(number) }
        }
    }

    private func close(_ channel: any Channel, _ number: ConnectionTable.Number) {
        state.withLock { state in
            state.table.close(number)
            state.channels[number] = nil
            state.numbers[ObjectIdentifier(channel)] = nil
        }
    }

    private func expectRequest(_ channel: any Channel, _ number: ConnectionTable.Number) {
        let time = isReserved(channel) ? .seconds(Self.reservedSeconds) : firstRequestTime
        let timer = channel.eventLoop.scheduleTask(in: time) {
            let isSilent = self.state.withLock { !$0.table.hasRequested(number) }
            if isSilent { channel.close(promise: nil) }
        }
        channel.closeFuture.whenComplete { _ in timer.cancel() }
    }
}

extension Connections.State {
    fileprivate mutating func keep(_ channel: any Channel, as number: ConnectionTable.Number) {
        numbers[ObjectIdentifier(channel)] = number
        channels[number] = channel
    }

    fileprivate func number(of channel: any Channel) -> ConnectionTable.Number? {
        numbers[ObjectIdentifier(channel)]
            ?? channel.parent.flatMap { numbers[ObjectIdentifier($0)] }
    }
}
