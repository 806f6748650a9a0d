import HexadecimalDigits
import Instrumentation

/// The identity of a span, as in the `traceparent` header (W3C Trace Context).
struct SpanContext: Hashable {
    /// The trace ID: 16 bytes, not all zero.
    var traceID: [UInt8]
    /// The span ID: 8 bytes, not all zero.
    var spanID: [UInt8]
    /// Whether the trace is sampled.
    var isSampled: Bool

    /// Returns the context of a new trace, which is sampled.
    static func root() -> Self {
        Self(traceID: random(count: 16), spanID: random(count: 8), isSampled: true)
    }

    /// Returns the context of another span in the same trace.
    func child() -> Self {
        Self(traceID: traceID, spanID: Self.random(count: 8), isSampled: isSampled)
    }

    /// The header: `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
    var header: String {
        "00-\(traceID.hexadecimal)-\(spanID.hexadecimal)-\(isSampled ? "01" : "00")"
    }

    /// Returns `nil` if the header is invalid. Later versions of the format may append fields.
    init?(header: String) {
        let fields = header.split(separator: "-", omittingEmptySubsequences: false)
        guard fields.count >= 4, let version = [UInt8](lowerCase: fields[0], count: 1),
            version != [0xff],
            version != [0] || fields.count == 4,
            let traceID = [UInt8](lowerCase: fields[1], count: 16),
            let spanID = [UInt8](lowerCase: fields[2], count: 8),
            let flags = [UInt8](lowerCase: fields[3], count: 1),
            traceID.contains(where: { $0 != 0 }), spanID.contains(where: { $0 != 0 })
        else { return nil }
        self.init(traceID: traceID, spanID: spanID, isSampled: flags[0] & 1 == 1)
    }

    init(traceID: [UInt8], spanID: [UInt8], isSampled: Bool) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
    }

    private static func random(count: Int) -> [UInt8] {
        // A nonzero last byte keeps the identifier from being all zero, which is invalid.
        (1...count).map { .random(in: ($0 == count ? 1 : 0)...255) }
    }
}

extension InstrumentationContext {
    private enum SpanContextKey: InstrumentationContextKey {
        typealias Value = SpanContext

        static let nameOverride: String? = "span"
    }

    private enum SuppressionKey: InstrumentationContextKey {
        typealias Value = Bool

        static let nameOverride: String? = "tracing-suppressed"
    }

    /// The current span.
    var spanContext: SpanContext? {
        get { self[SpanContextKey.self] }
        set { self[SpanContextKey.self] = newValue }
    }

    /// Whether tracing is disabled here: sending spans must not create new ones.
    var isTracingSuppressed: Bool {
        get { self[SuppressionKey.self] ?? false }
        set { self[SuppressionKey.self] = newValue }
    }
}

extension [UInt8] {
    /// Parses lower-case digits only, as the specification requires.
    fileprivate init?(lowerCase digits: Substring, count: Int) {
        guard digits.utf8.count == 2 * count, !digits.contains(where: \.isUppercase) else {
            return nil
        }
        self.init(hexadecimal: digits)
    }
}
