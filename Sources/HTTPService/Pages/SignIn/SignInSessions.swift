import CallStacks
import Crypto
import Foundation
import HTTPTypes
import HexadecimalDigits
import Hummingbird
import SymbolIntake

/// The cookies of users who signed in with a token: `v1.GRANT.EXPIRY.MAC`.
///
/// A cookie does not contain the token, only the first half of its digest, which is looked up at
/// each request. Therefore a token that is removed from the settings is refused at once.
struct SignInSessions: Sendable {
    /// A valid cookie.
    struct Session: Hashable, Sendable {
        /// The first half of the token's SHA-256, in hexadecimal digits.
        let grant: String
        let expiry: UnixTime
    }

    /// The prefix of the names of all cookies.
    static let cookieName = "symbolist"
    private static let version = "v1"

    private let key: PageKey
    private let lifetime: Int64
    private let isSecure: Bool

    init(_ settings: PageSettings, isSecure: Bool) {
        key = settings.key
        lifetime = settings.signInSeconds
        self.isSecure = isSecure
    }

    /// Returns the session of a request, or `nil` if it has no valid cookie.
    func session(of request: Request, _ context: HTTPRequestContext, now: UnixTime) -> Session? {
        request.cookie(cookieName(context)).flatMap { session(in: $0, now: now) }
    }

    func session(in cookie: String, now: UnixTime) -> Session? {
        let parts = cookie.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == Self.version, let seconds = Int64(parts[2]),
            let mac = [UInt8](hexadecimal: parts[3]),
            HMAC<SHA256>.isValidAuthenticationCode(
                mac, authenticating: Data(parts[0...2].joined(separator: ".").utf8),
                using: key.symmetric)
        else { return nil }
        let expiry = UnixTime(rawValue: 0).advanced(seconds: seconds)
        return expiry > now ? Session(grant: String(parts[1]), expiry: expiry) : nil
    }

    /// Returns the value of a new cookie.
    func cookie(for grant: String, now: UnixTime) -> String {
        let expiry = Int64(now.seconds) + lifetime
        let text = "\(Self.version).\(grant).\(expiry)"
        let mac = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key.symmetric)
        return "\(text).\(mac.hexadecimal)"
    }

    /// Whether less than half of the lifetime is left, so that the cookie is renewed.
    func isDue(_ session: Session, now: UnixTime) -> Bool {
        session.expiry < now.advanced(seconds: lifetime / 2)
    }

    /// Returns the header that sets a new cookie.
    func setCookie(for grant: String, _ context: HTTPRequestContext, now: UnixTime) -> String {
        header(cookie(for: grant, now: now), seconds: lifetime, context)
    }

    /// Returns the header that removes the cookie.
    func removeCookie(_ context: HTTPRequestContext) -> String { header("", seconds: 0, context) }

    private func header(_ value: String, seconds: Int64, _ context: HTTPRequestContext) -> String {
        "\(cookieName(context))=\(value); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax"
            + (isSecure ? "; Secure" : "")
    }

    /// Returns the name of the cookie. Without TLS it contains the port, because browsers send
    /// cookies to every port of a host.
    private func cookieName(_ context: HTTPRequestContext) -> String {
        if isSecure { return "__Host-\(Self.cookieName)" }
        return "\(Self.cookieName)_\(context.channel.localAddress?.port ?? 0)"
    }
}
