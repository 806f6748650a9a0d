/// A limit on disk use, by the key of its setting.
enum DiskLimit: String, CaseIterable {
    case queue = "limits.queue_bytes"
    case diagnostics = "retention.diagnostics_bytes"
    case symbols = "retention.symbols_bytes"
}

extension ServerConfiguration {
    /// Returns the configuration with the unset limits reduced, so that all limits together fit on
    /// the disk and leave some space free. In a cluster, the shared limits do not depend on the
    /// disk of one node.
    ///
    /// - Parameter bytes: The size of the disk, or `nil` if it is unknown.
    public func fitted(toDiskOf bytes: Int64?) -> Self {
        var fitted = self
        if cluster != nil {
            // Symbols and archived entries are in a bucket, and everything else is in a database.
            if unsetDiskLimits.contains(.diagnostics) { fitted.retention.diagnosticsBytes = .max }
            return fitted
        }
        guard let bytes else { return self }
        if unsetDiskLimits.contains(.queue) {
            fitted.limits.queueBytes = min(limits.queueBytes, bytes / 8)
        }
        if unsetDiskLimits.contains(.diagnostics) {
            fitted.retention.diagnosticsBytes = min(retention.diagnosticsBytes, bytes / 4)
            fitted.retention.deadLetterBytes = min(retention.deadLetterBytes, bytes / 8)
        }
        if unsetDiskLimits.contains(.symbols) { fitted.retention.symbolsBytes = bytes / 8 * 3 }
        return fitted
    }
}
