import Instrumentation

/// Which trace a span belongs to, and what names it, as it travels in the header `traceparent`
/// (W3C Trace Context).
struct SpanIdentity: Hashable {
    /// 16 bytes, not all zero.
    var trace: [UInt8]
    /// 8 bytes, not all zero.
    var span: [UInt8]
    /// Whether anybody wants to see it.
    var isSampled: Bool

    /// A new trace.
    static func root(isSampled: Bool) -> Self {
        Self(trace: random(count: 16), span: random(count: 8), isSampled: isSampled)
    }

    /// Another span of the same trace.
    func child() -> Self {
        Self(trace: trace, span: Self.random(count: 8), isSampled: isSampled)
    }

    /// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`
    var header: String { "00-\(trace.hex)-\(span.hex)-\(isSampled ? "01" : "00")" }

    /// `nil` for what is no header of that kind. Later versions may have more fields behind those
    /// of this one.
    init?(header: String) {
        let fields = header.split(separator: "-", omittingEmptySubsequences: false)
        guard fields.count >= 4, let version = [UInt8](hex: fields[0], count: 1), version != [0xff],
            version != [0] || fields.count == 4,
            let trace = [UInt8](hex: fields[1], count: 16),
            let span = [UInt8](hex: fields[2], count: 8),
            let flags = [UInt8](hex: fields[3], count: 1),
            trace.contains(where: { $0 != 0 }), span.contains(where: { $0 != 0 })
        else { return nil }
        self.init(trace: trace, span: span, isSampled: flags[0] & 1 == 1)
    }

    init(trace: [UInt8], span: [UInt8], isSampled: Bool) {
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
    }

    private static func random(count: Int) -> [UInt8] {
        // The last byte keeps it from being all zero, which no reader accepts.
        (1...count).map { .random(in: ($0 == count ? 1 : 0)...255) }
    }
}

extension InstrumentationContext {
    private enum IdentityKey: InstrumentationContextKey {
        typealias Value = SpanIdentity

        static let nameOverride: String? = "span"
    }

    private enum SuppressionKey: InstrumentationContextKey {
        typealias Value = Bool

        static let nameOverride: String? = "tracing-suppressed"
    }

    /// The span that what happens in this context is part of.
    var spanIdentity: SpanIdentity? {
        get { self[IdentityKey.self] }
        set { self[IdentityKey.self] = newValue }
    }

    /// Whether nothing here is to be traced: sending spans must not make new ones.
    var isTracingSuppressed: Bool {
        get { self[SuppressionKey.self] ?? false }
        set { self[SuppressionKey.self] = newValue }
    }
}

extension [UInt8] {
    fileprivate var hex: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Lower-case digits only, as the specification asks.
    fileprivate init?(hex: Substring, count: Int) {
        let digits = hex.utf8.compactMap { digit -> UInt8? in
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
            default: nil
            }
        }
        guard digits.count == 2 * count, hex.utf8.count == digits.count else { return nil }
        self = (0..<count).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
    }
}
