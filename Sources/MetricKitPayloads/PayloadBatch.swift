import JSONText

/// The JSON values in an upload: one, the elements of an array, or one per line.
public struct PayloadBatch: Sendable {
    /// Their texts, in order and unchanged.
    public private(set) var payloads: [[UInt8]] = []
    /// The number of values that are too damaged to recognise.
    public private(set) var damagedCount = 0
    /// Whether values were dropped because there were more than ``PayloadLimits/elements``.
    public let isTruncated: Bool
    /// Whether the text is an array, which may have no values.
    private let isArray: Bool

    public init(_ bytes: [UInt8], limits: PayloadLimits = PayloadLimits()) {
        let text = JSONDetection.trimmed(bytes, in: 0..<bytes.count)
        isArray =
            bytes[text].first == UInt8(ascii: "[") && bytes[text].last == UInt8(ascii: "]")
        var splitter = ElementSplitter(bytes, in: text, limits: limits)
        while let piece = splitter.next() {
            let isKnown = piece.document.root.map { PayloadShape(of: $0).isOfMetricKit } ?? false
            if piece.document.failure != nil, !isKnown { damagedCount += 1 }
            payloads.append(Array(bytes[piece.range]))
        }
        isTruncated = splitter.reachedLimit
        // Other text may start with a number.
        let isJSON = bytes[text].first.map(JSONDetection.isJSON) ?? false
        if !isJSON, payloads.count > 1 { damagedCount = payloads.count }
    }

    /// Whether there is no value, or none is usable.
    public var isDamaged: Bool {
        payloads.isEmpty ? !isArray : damagedCount == payloads.count
    }
}
