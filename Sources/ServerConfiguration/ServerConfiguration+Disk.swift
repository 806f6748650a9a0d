/// A bound on what is kept on the disk, by the key of its setting.
enum DiskBound: String, CaseIterable {
    case queue = "limits.queue_bytes"
    case diagnostics = "retention.diagnostics_bytes"
    case symbols = "retention.symbols_bytes"
}

extension ServerConfiguration {
    /// Returns the configuration with the bounds that were not set lowered so that all of them
    /// together fit on a disk, with some of it free.
    ///
    /// - Parameter bytes: The size of the disk; `nil` if it is unknown.
    public func fitted(toDiskOf bytes: Int64?) -> Self {
        guard let bytes else { return self }
        var fitted = self
        if unsetBounds.contains(.queue) {
            fitted.limits.queueBytes = min(limits.queueBytes, bytes / 8)
        }
        if unsetBounds.contains(.diagnostics) {
            fitted.retention.diagnosticsBytes = min(retention.diagnosticsBytes, bytes / 4)
            fitted.retention.deadLetterBytes = min(retention.deadLetterBytes, bytes / 8)
        }
        if unsetBounds.contains(.symbols) { fitted.retention.symbolsBytes = bytes / 8 * 3 }
        return fitted
    }
}
