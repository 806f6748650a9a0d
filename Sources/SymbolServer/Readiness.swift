public import Ingest
import Synchronization

/// Whether the service can take telemetry in now, and if not, why.
public final class Readiness: Sendable {
    /// A reason for programs and for people.
    struct Reason: Encodable {
        let code: String
        let message: String
    }

    private let reception: Reception
    private let stopping = Atomic(false)

    public init(_ reception: Reception) { self.reception = reception }

    /// Notes that the service takes no new connections.
    func beginStopping() { stopping.store(true, ordering: .relaxed) }

    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    /// Whether requests are accepted.
    public func isReady() async -> Bool { await reasons().isEmpty }

    /// Why requests are refused; empty while they are accepted.
    func reasons() async -> [Reason] {
        var reasons: [Reason] = []
        if isStopping {
            reasons.append(
                Reason(
                    code: "stopping", message: "service: is stopping: send to another instance"))
        }
        do throws(ReceptionError) { try await reception.checkWrites() } catch {
            reasons.append(Reason(code: "writes_refused", message: error.description))
        }
        return reasons
    }
}
