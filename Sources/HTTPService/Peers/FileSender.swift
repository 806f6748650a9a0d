import CallStacks
import Foundation
import HTTPDates
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Problems
import SymbolIntake

/// Sends stored files, or parts of them, in constant memory.
struct FileSender {
    /// A stored file, or its content if that is already open.
    enum Source {
        case file(StoredDebugFile)
        case content(StoredContent)

        var file: StoredDebugFile {
            switch self {
            case .file(let file): file
            case .content(let content): content.file
            }
        }
    }

    let downloads: DebugFileDownloads
    /// Without tokens the files are public, so that shared caches may store them.
    let tokens: Tokens

    /// Returns a response with a part of a stored file, or with the requested range of that part.
    /// If the client already has the part, the response is 304, without content. A file is opened
    /// only if its bytes are sent.
    ///
    /// - Parameters:
    ///   - part: The content of the response, or `nil` for the whole file.
    ///   - headers: Further headers.
    func response(
        to request: Request, with source: Source, part: Range<Int64>? = nil,
        _ headers: HTTPFields = [:]
    ) async throws -> Response {
        let file = source.file
        downloads.recordUse(of: file)
        let part = part ?? 0..<file.byteCount
        let count = Int64(part.count)
        var headers = headers
        headers[.contentType] = headers[.contentType] ?? "application/octet-stream"
        headers[.acceptRanges] = "bytes"
        headers[.cacheControl] = tokens.isEmpty ? "public" : "private"
        headers[.lastModified] = Date(timeIntervalSince1970: file.upload.seconds).httpDate
        headers[.eTag] = "\"\(file.blob)-\(part.lowerBound)\""
        if Self.isStored(by: request, headers: headers, since: file.upload) {
            headers[.contentLength] = "\(count)"
            return Response(status: .notModified, headers: headers)
        }
        guard let requested = Self.range(of: request, headers: headers) else {
            return try await response(to: request, .ok, source, range: part, headers: headers)
        }
        guard let positions = requested.positions(in: count) else {
            headers[.contentRange] = "bytes */\(count)"
            return Response(status: .rangeNotSatisfiable, headers: headers)
        }
        headers[.contentRange] =
            "bytes \(positions.lowerBound)-\(positions.upperBound - 1)/\(count)"
        let range =
            part.lowerBound + positions.lowerBound..<part.lowerBound + positions.upperBound
        return try await response(
            to: request, .partialContent, source, range: range, headers: headers)
    }

    /// Whether the client already has the content, according to its conditions (RFC 9110, section
    /// 13.1). A date is ignored if there are entity tags.
    private static func isStored(
        by request: Request, headers: HTTPFields, since upload: UnixTime
    ) -> Bool {
        if let tags = request.headers[.ifNoneMatch] {
            let known = tags.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            return known.contains { $0 == "*" || $0.trimmingPrefix("W/") == headers[.eTag] ?? "" }
        }
        guard let date = request.headers[.ifModifiedSince].flatMap(Date.init(httpDate:))
        else { return false }
        return upload.seconds.rounded(.down) <= date.timeIntervalSince1970
    }

    /// Returns the requested range, or `nil` to send the whole content, for instance because the
    /// client has a range of another version.
    private static func range(of request: Request, headers: HTTPFields) -> ByteRange? {
        guard request.method == .get, let header = request.headers[.range] else { return nil }
        let version = request.headers[.ifRange]
        guard version == nil || version == headers[.eTag] || version == headers[.lastModified]
        else { return nil }
        return ByteRange(header: header)
    }

    private func response(
        to request: Request, _ status: HTTPResponse.Status, _ source: Source,
        range: Range<Int64>, headers: HTTPFields
    ) async throws -> Response {
        let body =
            request.method == .head
            ? ResponseBody(contentLength: range.count) { try await $0.finish(nil) }
            : Self.body(try await content(of: source), range: range)
        return Response(status: status, headers: headers, body: body)
    }

    private func content(of source: Source) async throws -> StoredContent {
        switch source {
        case .content(let content): return content
        case .file(let file):
            guard let content = try await downloads.content(of: file) else {
                throw RequestError.notFound(Problem("file", detail: "not found"))
            }
            return content
        }
    }

    private static func body(_ content: StoredContent, range: Range<Int64>) -> ResponseBody {
        ResponseBody(contentLength: range.count) { writer in
            // The content occupies a slot until it is sent.
            defer { withExtendedLifetime(content) {} }
            var pieces = try content.pieces(of: range)
            while let piece = try pieces.next() {
                try await writer.write(ByteBuffer(bytes: piece))
            }
            try await writer.finish(nil)
        }
    }
}
