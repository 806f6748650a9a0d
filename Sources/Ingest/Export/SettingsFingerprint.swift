import Crypto
import HexadecimalDigits

/// A digest that distinguishes an exporter's settings without revealing the secrets in them.
public struct SettingsFingerprint: Hashable, Sendable {
    /// Hexadecimal digits.
    public let text: String

    /// - Parameter settings: The settings by name.
    public init(_ settings: [String: String]) {
        var digest = SHA256()
        for (name, value) in settings.sorted(by: { $0.key < $1.key }) {
            // Lengths are included, so that different settings never have the same bytes.
            digest.update(
                data: Array("\(name.utf8.count):\(name)\(value.utf8.count):\(value)".utf8))
        }
        text = digest.finalize().prefix(16).hexadecimal
    }
}
