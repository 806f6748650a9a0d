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
    private let urls: SignalTable<String>
    private let headers: HTTPHeaders
    private let compresses: Bool
    private let timeout: TimeAmount
    private let owned: ScopedHTTPClient
    private let buffers: RequestBuffers

    init(_ validator: ExporterSettingsValidator) throws(ExporterSettingsError) {
        let settings = validator.settings
        name = settings.name
        batchBytesLimit = settings.batchBytesLimit
        urls = try ExporterURLs(validator: validator).signalURLs()
        compresses = settings.compression == .gzip
        var headers = HTTPHeaders(settings.headers.sorted { $0.key < $1.key })
        headers.add(name: "content-type", value: OTLPEncoding.protobuf.mediaType)
        if compresses { headers.add(name: "content-encoding", value: "gzip") }
        if !headers.contains(name: "user-agent") {
            headers.add(name: "user-agent", value: "symbolist")
        }
        self.headers = headers
        timeout = TimeAmount(settings.timeout)
        owned = ScopedHTTPClient(try Self.configuration(validator))
        // The capacity of a buffer is a power of two.
        buffers = RequestBuffers(
            countLimit: settings.loop.inFlightLimit, bytesLimit: 2 * settings.batchBytesLimit)
    }

    private static func configuration(
        _ validator: ExporterSettingsValidator
    ) throws(ExporterSettingsError) -> HTTPClient.Configuration {
        let settings = validator.settings
        var configuration = HTTPClient.Configuration()
        configuration.tlsConfiguration = try validator.tlsConfiguration()
        // A redirect means that the URL is wrong, and headers may contain secrets.
        configuration.redirectConfiguration = .disallow
        let limit = TimeAmount(settings.timeout)
        configuration.timeout = .init(connect: limit, read: limit, write: limit)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
            settings.loop.inFlightLimit
        // The export loop retries, and logs that it does.
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }

    func send(_ batch: ExportBatch) async -> ExportOutcome {
        let url = urls[batch.signal]
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers = headers
        do {
            let body = compresses ? try gzipped(batch) : buffers.joined(batch)
            defer { if !compresses { buffers.reuse(body) } }
            request.body = .bytes(body)
            let deadline = NIODeadline.now() + timeout
            let response = try await owned.client.execute(request, deadline: deadline)
            return await received(response, until: deadline)
                .outcome(for: batch.signal, now: Date())
        } catch {
            let reason = Self.reason(error, url: url)
            return Self.isTimeout(error)
                ? .timedOut(reason: reason) : .retry(reason: reason, after: nil)
        }
    }

    /// Whether there was no response in time.
    private static func isTimeout(_ error: any Error) -> Bool {
        switch error as? HTTPClientError {
        case .deadlineExceeded, .readTimeout, .writeTimeout: true
        default: false
        }
    }

    /// Compresses at the fastest level: higher levels cost several times as much and save a tenth
    /// of the bytes.
    private func gzipped(_ batch: ExportBatch) throws(CompressionError) -> ByteBuffer {
        ByteBuffer(bytes: try CompressedBody(gzipping: batch.body, level: 1).bytes)
    }

    /// Reads the body of a response, until a deadline that the client does not check after the
    /// headers. If the body cannot be read, the status alone determines the outcome: a batch that
    /// was accepted must not be sent again.
    private func received(
        _ response: HTTPClientResponse, until deadline: NIODeadline
    ) async -> OTLPHTTPResponse {
        let body = await withTaskGroup(of: [UInt8].self) { group in
            defer { group.cancelAll() }
            group.addTask {
                let bytes = try? await response.body.collect(upTo: ExportResponse.bytesLimit)
                return bytes.map { Array($0.readableBytesView) } ?? []
            }
            group.addTask {
                try? await Task.sleep(for: .nanoseconds((deadline - .now()).nanoseconds))
                return []
            }
            return await group.next() ?? []
        }
        return OTLPHTTPResponse(status: response.status, headers: response.headers, body: body)
    }

    /// Returns the host and the problem, without the path, which may be private.
    private static func reason(_ error: any Error, url: String) -> String {
        let host = URLComponents(string: url)?.host ?? ""
        return "\(host): \(ErrorDescription(ErrorDescription.requestError(error)))"
    }

    func run() async {
        await cancellation()
        await owned.shutDown()
    }
}
