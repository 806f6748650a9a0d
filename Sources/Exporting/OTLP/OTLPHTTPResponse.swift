import Foundation
import HTTPDates
import Ingest
import NIOHTTP1
import OTLP

/// A response of OTLP/HTTP, and its meaning for the batch.
struct OTLPHTTPResponse {
    var status: HTTPResponseStatus
    var headers: HTTPHeaders
    /// The body, or empty if it was too long to be read.
    var body: [UInt8]

    func outcome(for signal: Signal, now: Date) -> ExportOutcome {
        switch status.code {
        case 200..<300:
            return ExportResponse.outcome(of: signal, bytes: body, as: encoding ?? .protobuf)
        // OTLP lists these as retryable. The meaning of other statuses depends on the outcomes of
        // other batches.
        case 429, 502, 503, 504: return .retry(reason: reason, after: wait(now))
        default:
            return .refused(reason: reason, isForContent: isForContent, after: wait(now))
        }
    }

    private func wait(_ now: Date) -> Double? {
        headers.first(name: "retry-after").flatMap { Duration(retryAfter: $0, now: now) }
            .map { $0 / .seconds(1) }
    }

    private var isForContent: Bool { [400, 413, 422].contains(status.code) }

    private var encoding: OTLPEncoding? {
        let type = headers.first(name: "content-type")?.split(separator: ";").first
        return OTLPEncoding.allCases.first { $0.mediaType == type?.lowercased() }
    }

    /// `503 Service Unavailable: queue is full`.
    private var reason: String {
        let line = "\(status.code) \(status.reasonPhrase)"
        if (300..<400).contains(status.code), let location = headers.first(name: "location") {
            return "\(line): moved to '\(ExportResponse.text(location))': set the url to that"
        }
        return message.isEmpty ? line : "\(line): \(message)"
    }

    private var message: String {
        guard let encoding else {
            let isText = headers.first(name: "content-type")?.hasPrefix("text/plain") == true
            return isText ? ExportResponse.text(String(decoding: body, as: UTF8.self)) : ""
        }
        do throws(OTLPError) {
            return ExportResponse.text(try OTLPStatus(decoding: body, as: encoding).message)
        } catch { return "" }
    }
}
