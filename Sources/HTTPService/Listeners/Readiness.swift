public import Ingest
import Problems
import Synchronization

/// Whether the service currently accepts telemetry, and the reasons if it does not.
public final class Readiness: Sendable {
    /// A reason, as a code for programs and a message for people.
    struct Reason: Encodable {
        let code: String
        let message: String
    }

    private let gateway: IngestGateway
    private let stopping = Atomic(false)

    public init(_ gateway: IngestGateway) { self.gateway = gateway }

    /// Marks the service as stopping.
    func beginStopping() { stopping.store(true, ordering: .relaxed) }

    var isStopping: Bool { stopping.load(ordering: .relaxed) }

    /// Whether requests are accepted.
    public func isReady() async -> Bool { await reasons().isEmpty }

    /// Returns the reasons why requests are refused, or an empty array while they are accepted.
    func reasons() async -> [Reason] {
        var reasons: [Reason] = []
        if isStopping {
            reasons.append(
                Reason(
                    code: "stopping", message: "service: stopping: send to another instance"))
        }
        do throws(IngestGatewayError) { try await gateway.checkWrites() } catch {
            reasons.append(Reason(code: "writes_refused", message: error.description))
        }
        return reasons
    }
}
