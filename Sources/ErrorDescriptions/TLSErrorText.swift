import NIOSSL

/// The kinds of TLS failures that need different suggestions.
public enum TLSFailure: Hashable, Sendable {
    /// The peer does not speak TLS.
    case plainText
    /// The peer requires a client certificate.
    case missingClientCertificate
    case other
}

/// The reason why a TLS handshake failed or a certificate is unusable.
///
/// BoringSSL reports it as a reason code, in a text that also contains a path of its own source.
struct TLSErrorText {
    let text: String
    let failure: TLSFailure

    private static let rejectedCertificate = "CERTIFICATE_VERIFY_FAILED"

    private static let failures: [(name: String, failure: TLSFailure)] = [
        ("WRONG_VERSION_NUMBER", .plainText),
        ("PEER_DID_NOT_RETURN_A_CERTIFICATE", .missingClientCertificate),
        ("CERTIFICATE_REQUIRED", .missingClientCertificate),
    ]

    private static let reasons: [(name: String, text: String)] = [
        ("HTTP_REQUEST", "plain HTTP was sent to a port that expects TLS"),
        ("WRONG_VERSION_NUMBER", "the peer does not speak TLS"),
        ("PEER_DID_NOT_RETURN_A_CERTIFICATE", "it sent no client certificate"),
        ("CERTIFICATE_REQUIRED", "the peer requires a client certificate"),
        ("ALERT_UNKNOWN_CA", "the peer does not trust the authority of the certificate"),
        ("ALERT_CERTIFICATE_EXPIRED", "the peer rejected the certificate as expired"),
        ("ALERT_CERTIFICATE_UNKNOWN", "the peer rejected the certificate"),
        ("ALERT_BAD_CERTIFICATE", "the peer rejected the certificate"),
        ("ALERT_UNSUPPORTED_CERTIFICATE", "the peer rejected the certificate"),
        ("ALERT_HANDSHAKE_FAILURE", "the peer refused the handshake"),
        ("ALERT_PROTOCOL_VERSION", "the peer supports no common version"),
        (rejectedCertificate, "its certificate is expired or from an unknown authority"),
        ("UNSUPPORTED_PROTOCOL", "the peer supports no common version"),
        ("NO_SHARED_CIPHER", "the peer supports no common cipher"),
        ("KEY_VALUES_MISMATCH", "the key does not belong to the certificate"),
        ("EOF during handshake", "connection was closed during the handshake"),
    ]

    init(_ error: any Error) {
        text = "TLS: " + Self.reason(error)
        let name = "\(error)"
        failure = Self.failures.first { name.contains($0.name) }?.failure ?? .other
    }

    /// Whether the certificate of the peer was rejected.
    static func isRejectedCertificate(_ error: any Error) -> Bool {
        "\(error)".contains(rejectedCertificate)
    }

    private static func reason(_ error: any Error) -> String {
        if let error = error as? NIOSSLExtraError {
            return error == .failedToValidateHostname
                ? "its certificate is for another host" : "handshake failed"
        }
        if case .uncleanShutdown? = error as? NIOSSLError { return "connection was closed" }
        let name = "\(error)"
        return reasons.first { name.contains($0.name) }?.text ?? "handshake failed"
    }
}
