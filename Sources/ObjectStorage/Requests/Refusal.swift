import Foundation
import HTTPDates
import NIOHTTP1

/// The relevant parts of an error response.
///
/// The server's message is not included, because it may repeat parts of the request. See "Error
/// responses" in the S3 API reference.
struct Refusal: Hashable, Sendable {
    let status: Int
    /// The S3 error code, such as `NoSuchKey`, or `nil` if the response is not an S3 error.
    var code: String?
    /// The region of the bucket, if the request was for another one.
    var region: String?
    /// The server's time.
    var date: Date?
    /// The time to wait, in seconds.
    var retryAfterSeconds: Int?

    init(status: Int, code: String? = nil) {
        self.status = status
        self.code = code
    }

    /// - Parameter body: The start of the body.
    init(status: Int, headers: HTTPHeaders, body: [UInt8]) {
        let error = try? XMLReader.document(body)
        self.status = status
        code = Self.name(error?["Code"]?.text)
        region = Self.name(headers.first(name: "x-amz-bucket-region") ?? error?["Region"]?.text)
        date = headers.first(name: "date").flatMap(Date.init(httpDate:))
        retryAfterSeconds = headers.first(name: "retry-after").flatMap(UInt16.init).map(Int.init)
    }

    /// Returns the text if it is a plain name, which is safe to display; otherwise `nil`.
    private static func name(_ text: String?) -> String? {
        guard let text, (1...nameLimit).contains(text.utf8.count),
            text.utf8.allSatisfy({ isNameByte($0) })
        else { return nil }
        return text
    }

    private static let nameLimit = 64

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f: true
        default: false
        }
    }

    /// Whether the same request may succeed later.
    var isTransient: Bool {
        if let code, Self.passingCodes.contains(code) { return true }
        return [408, 425, 429, 500, 502, 503, 504].contains(status)
    }

    /// See "List of error codes" in the S3 API reference. `RequestTimeout` has the status 400.
    private static let passingCodes: Set<String> = [
        "InternalError", "OperationAborted", "RequestTimeout", "ServiceUnavailable", "SlowDown",
        "Throttling", "ThrottlingException", "BadDigest", "XAmzContentSHA256Mismatch",
    ]

    /// Whether the request may succeed with reloaded credentials, because these have expired or
    /// were replaced.
    var isOfCredentials: Bool {
        let codes = ["ExpiredToken", "InvalidToken", "InvalidAccessKeyId", "SignatureDoesNotMatch"]
        return code.map(codes.contains) ?? false
    }

    /// Whether the object or the upload does not exist, rather than the bucket.
    var isNotFound: Bool {
        code != "NoSuchBucket"
            && (status == 404 || code.map { ["NoSuchKey", "NoSuchUpload"].contains($0) } ?? false)
    }

    /// Whether an object ends before the requested range.
    var isBeyondEnd: Bool { status == 416 || code == "InvalidRange" }

    /// Whether the server does not return the object because of its storage class or its encryption
    /// key.
    var isOfObjectState: Bool {
        code.map { $0 == "InvalidObjectState" || $0.hasPrefix("KMS.") } ?? false
    }

    var isAccessDenied: Bool {
        isOfCredentials || [401, 403].contains(status) || code == "AccessDenied"
    }

    /// `responded 403 (AccessDenied)`
    var detail: String { "responded \(status)" + (code.map { " (\($0))" } ?? "") }

    var suggestion: String? {
        if let region { return "set blobs.region to \(region)" }
        switch code {
        case "NoSuchBucket": return "create the bucket or correct blobs.url"
        case "AccessDenied", "AllAccessDisabled": return "check the rights of the credentials"
        case "ExpiredToken", "InvalidToken", "InvalidAccessKeyId", "SignatureDoesNotMatch":
            return "check the access key and its secret"
        case "RequestTimeTooSkewed": return "set the clock of this machine"
        case "InvalidObjectState":
            return "restore it, and keep objects of this bucket out of archival storage classes"
        default: break
        }
        switch status {
        case 300..<400: return "set blobs.endpoint and blobs.region to those of the bucket"
        case 401, 403: return "check the credentials and their rights"
        default: return nil
        }
    }
}
