import AsyncHTTPClient
import Decompression
import ErrorDescriptions
import Foundation
import Ingest
import NIOCore
import NIOHTTP1
import OTLP

/// Sends batches by OTLP/HTTP, as protobuf.
struct OTLPHTTPExporter: Exporter {
    let name: String
    let batchBytesLimit: Int
    private let urls: [Signal: String]
    private let headers: HTTPHeaders
    private let compresses: Bool
    private let timeout: TimeAmount
    private let owned: OwnedClient

    init(_ checks: SettingsChecks) throws(ExporterSettingsError) {
        let settings = checks.settings
        name = settings.name
        batchBytesLimit = settings.batchBytesLimit
        urls = try ExportURL(checks: checks).signalURLs()
        compresses = settings.compression == .gzip
        var headers = HTTPHeaders(settings.headers.sorted { $0.key < $1.key })
        headers.add(name: "content-type", value: OTLPEncoding.protobuf.mediaType)
        if compresses { headers.add(name: "content-encoding", value: "gzip") }
        if !headers.contains(name: "user-agent") {
            headers.add(name: "user-agent", value: "symbolist")
        }
        self.headers = headers
        timeout = TimeAmount(settings.timeout)
        owned = OwnedClient(try Self.configuration(checks))
    }

    private static func configuration(
        _ checks: SettingsChecks
    ) throws(ExporterSettingsError) -> HTTPClient.Configuration {
        let settings = checks.settings
        var configuration = HTTPClient.Configuration()
        configuration.tlsConfiguration = try checks.tlsConfiguration()
        // A redirect is a mistake in the settings, and headers are not for everybody.
        configuration.redirectConfiguration = .disallow
        let limit = TimeAmount(settings.timeout)
        configuration.timeout = .init(connect: limit, read: limit, write: limit)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
            settings.loop.inFlightLimit
        // When to try again is decided above, which also says that it does.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    func send(_ batch: ExportBatch) async -> ExportOutcome {
        guard let url = urls[batch.signal] else {
            preconditionFailure("batch: signal \(batch.signal) does not go out")
        }
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers = headers
        do {
            let body = compresses ? try gzipped(batch.body) : batch.body
            request.body = .bytes(ByteBuffer(bytes: body))
            let response = try await owned.client.execute(request, timeout: timeout)
            return await answer(response).outcome(for: batch.signal, now: Date())
        } catch {
            return .retry(reason: Self.reason(error, url: url), after: nil)
        }
    }

    /// At the fastest level: the better ones cost several times as much for a tenth of the bytes.
    private func gzipped(_ bytes: [UInt8]) throws(CompressionError) -> [UInt8] {
        try CompressedBody(gzipping: bytes, level: 1).bytes
    }

    private func answer(_ response: HTTPClientResponse) async -> HTTPAnswer {
        var body: [UInt8] = []
        // What was done to the batch stands in the head: without a body only the reason is lost.
        do {
            let bytes = try await response.body.collect(upTo: ExportAnswer.bytesLimit)
            body = Array(bytes.readableBytesView)
        } catch {}
        return HTTPAnswer(status: response.status, headers: response.headers, body: body)
    }

    /// Without what addresses may hold behind the host.
    private static func reason(_ error: any Error, url: String) -> String {
        let host = URLComponents(string: url)?.host ?? ""
        return "\(host): \(ErrorDescription(ErrorDescription.requestError(error)))"
    }

    func run() async {
        await cancellation()
        await owned.shutDown()
    }
}
