import Ingest

/// Finds received diagnostics by their address or identifier.
struct DiagnosticFinder {
    let archive: any DiagnosticArchive

    /// Returns a diagnostic that the caller may see, the newest of several with the same
    /// identifier.
    ///
    /// - Parameters:
    ///   - app: The only app whose diagnostics may be seen, or `nil` for all apps.
    ///   - prefersAddress: Whether a text that could be either is treated as an address.
    func record(
        _ id: String, app: String?, prefersAddress: Bool = false
    ) async throws -> DiagnosticRecord? {
        var addressed: DiagnosticRecord?
        if let address = RecordAddress(id),
            let row = try await archive.diagnostic(at: address),
            app == nil || app == row.app
        {
            addressed = row
        }
        if prefersAddress, let addressed { return addressed }
        return try await archive.diagnostic(uid: id, app: app) ?? addressed
    }
}
