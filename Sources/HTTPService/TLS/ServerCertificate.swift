import NIOSSL
import Synchronization

/// The certificate that the service presents. It can be replaced while the service runs.
public final class ServerCertificate: Sendable {
    /// A certificate with the number of earlier replacements.
    struct Current: Sendable {
        let generation: Int
        let loaded: LoadedCertificate
    }

    private let state: Mutex<Current>

    var current: Current { state.withLock { $0 } }

    /// Problems that do not prevent its use, such as an expiry date in the past.
    public var warnings: [String] { current.loaded.warnings }

    /// - Throws: A ``ListenError`` if the files cannot be used.
    public init(_ files: TLSFiles) throws(ListenError) {
        state = Mutex(Current(generation: 0, loaded: try LoadedCertificate(files)))
    }

    /// Presents another certificate on new connections.
    public func replace(with other: ServerCertificate) {
        let loaded = other.current.loaded
        state.withLock { $0 = Current(generation: $0.generation + 1, loaded: loaded) }
    }
}
