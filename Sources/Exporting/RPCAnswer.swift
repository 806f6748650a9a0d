import ErrorDescriptions
import GRPCCore
import GRPCProtobuf
import Ingest
import OTLP

/// An error of OTLP/gRPC, and what it means for the batch.
struct RPCAnswer {
    let error: RPCError

    var outcome: ExportOutcome {
        let wait = retryDelay
        return isTransient(hasWait: wait != nil)
            ? .retry(reason: reason, after: wait)
            : .refused(reason: reason, isForContent: isForContent, after: wait)
    }

    /// The table of OTLP: only a receiver that says when it has room again has been exhausted for
    /// a time; otherwise the message is too large for it.
    private func isTransient(hasWait: Bool) -> Bool {
        switch error.code {
        case .cancelled, .deadlineExceeded, .aborted, .outOfRange, .unavailable, .dataLoss: true
        case .resourceExhausted: hasWait
        // An error with a cause is the client's own: nobody refused anything.
        case .unknown, .internalError: error.cause != nil
        default: false
        }
    }

    private var isForContent: Bool {
        [.invalidArgument, .failedPrecondition, .resourceExhausted].contains(error.code)
    }

    private var reason: String {
        "\(error.code): \(ExportAnswer.text("\(ErrorDescription(error))"))"
    }

    /// Of `google.rpc.RetryInfo`, in seconds. Details that can't be read are none.
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
        case .metricKit, .revision:
            preconditionFailure("batch: signal \(signal) does not go out")
        }
    }
}
