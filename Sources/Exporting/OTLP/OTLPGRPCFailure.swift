import ErrorDescriptions
import GRPCCore
import GRPCProtobuf
import Ingest
import OTLP

/// An error of OTLP/gRPC, and its meaning for the batch.
struct OTLPGRPCFailure {
    let error: RPCError
    /// Whether there was a connection, so that the request was sent at least in part.
    let isConnected: Bool

    var outcome: ExportOutcome {
        // Without a connection, the time says nothing about the receiver's speed or the batch.
        if error.code == .deadlineExceeded, !isConnected {
            return .retry(reason: "\(error.code): connection timed out", after: nil)
        }
        let wait = retryDelay
        if error.code == .deadlineExceeded, wait == nil { return .timedOut(reason: reason) }
        return isTransient(hasWait: wait != nil)
            ? .retry(reason: reason, after: wait)
            : .refused(reason: reason, isForContent: isForContent, after: wait)
    }

    /// Whether OTLP's specification lists the code as retryable. `RESOURCE_EXHAUSTED` is transient
    /// only with a retry delay; otherwise the message is too large for the receiver.
    private func isTransient(hasWait: Bool) -> Bool {
        switch error.code {
        case .cancelled, .deadlineExceeded, .aborted, .outOfRange, .unavailable, .dataLoss: true
        case .resourceExhausted: hasWait
        // An error with a cause comes from the client, not from the receiver.
        case .unknown, .internalError: error.cause != nil
        default: false
        }
    }

    private var isForContent: Bool {
        [.invalidArgument, .failedPrecondition, .resourceExhausted].contains(error.code)
    }

    private var reason: String {
        "\(error.code): \(ExportResponse.text("\(ErrorDescription(error))"))"
    }

    /// The delay in `google.rpc.RetryInfo`, in seconds, or `nil` if it is missing or unreadable.
    private var retryDelay: Double? {
        let status: GoogleRPCStatus?
        do { status = try error.unpackGoogleRPCStatus() } catch { return nil }
        guard let delay = status?.details.lazy.compactMap(\.retryInfo).first?.delay
        else { return nil }
        return delay / .seconds(1)
    }
}

/// The methods of OTLP/gRPC.
enum RPCMethod {
    static func descriptor(of signal: Signal) -> MethodDescriptor {
        switch signal {
        case .logs: LogsService.Method.Export.descriptor
        case .traces: TraceService.Method.Export.descriptor
        case .metrics: MetricsService.Method.Export.descriptor
        }
    }
}
