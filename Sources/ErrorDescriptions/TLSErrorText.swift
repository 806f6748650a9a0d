import NIOSSL

/// Why a TLS connection was not made, or a certificate cannot be used.
///
/// BoringSSL says it by the name of a reason, in a text that has the path of its own source as well.
struct TLSErrorText {
    let text: String

    private static let reasons: [(name: String, text: String)] = [
        ("HTTP_REQUEST", "plain HTTP was sent to a port that expects TLS"),
        ("WRONG_VERSION_NUMBER", "the other side does not speak TLS"),
        ("PEER_DID_NOT_RETURN_A_CERTIFICATE", "it showed no client certificate"),
        ("CERTIFICATE_REQUIRED", "the other side wants a client certificate"),
        ("ALERT_UNKNOWN_CA", "the other side does not know the authority of the certificate"),
        ("ALERT_CERTIFICATE_EXPIRED", "the other side finds the certificate expired"),
        ("ALERT_CERTIFICATE_UNKNOWN", "the other side does not accept the certificate"),
        ("ALERT_BAD_CERTIFICATE", "the other side does not accept the certificate"),
        ("ALERT_UNSUPPORTED_CERTIFICATE", "the other side does not accept the certificate"),
        ("ALERT_HANDSHAKE_FAILURE", "the other side refused the handshake"),
        ("ALERT_PROTOCOL_VERSION", "the other side supports no common version"),
        ("CERTIFICATE_VERIFY_FAILED", "its certificate is expired or of an unknown authority"),
        ("UNSUPPORTED_PROTOCOL", "the other side supports no common version"),
        ("NO_SHARED_CIPHER", "the other side supports no common cipher"),
        ("KEY_VALUES_MISMATCH", "the key does not belong to the certificate"),
        ("EOF during handshake", "connection was closed during the handshake"),
    ]

    init(_ error: any Error) {
        text = "TLS: " + Self.reason(error)
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
