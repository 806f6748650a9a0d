public import MetricKitPayloads

/// Reads whatever crash, hang or backtrace file a person has. What a file is, is told by its
/// content and never by its name.
///
/// Nothing is refused: what cannot be read is listed with its reason, and a damaged report is read
/// as far as it goes.
public struct CrashFileReader: Sendable {
    public var limits: PayloadLimits

    public init(limits: PayloadLimits = PayloadLimits()) { self.limits = limits }

    /// - Parameter bytes: The file, without compression.
    public func read(_ bytes: [UInt8]) -> CrashFile {
        let payload = PayloadReader(limits: limits).read(bytes)
        return CrashFile(
            reports: payload.diagnostics.map {
                CrashReport(.metricKit, range: $0.range, content: .received($0), rewriting: nil)
            },
            unread: payload.elements.flatMap(\.unread),
            remarks: payload.remarks + payload.elements.flatMap(\.remarks))
    }
}
