import NIOSSL
import Synchronization

/// The certificate that the service shows, which can be replaced while it runs.
public final class ServerCertificate: Sendable {
    /// A certificate with the number of times that it was replaced before.
    struct Current: Sendable {
        let generation: Int
        let loaded: LoadedCertificate
    }

    private let state: Mutex<Current>

    var current: Current { state.withLock { $0 } }

    /// What an operator should know of the certificate, although it can be used.
    public var warnings: [String] { current.loaded.warnings }

    /// - Throws: A ``ListenError`` if the files cannot be used.
    public init(_ files: TLSFiles) throws(ListenError) {
        state = Mutex(Current(generation: 0, loaded: try LoadedCertificate(files)))
    }

    /// Shows another certificate to new connections.
    public func replace(with other: ServerCertificate) {
        let loaded = other.current.loaded
        state.withLock { $0 = Current(generation: $0.generation + 1, loaded: loaded) }
    }
}
