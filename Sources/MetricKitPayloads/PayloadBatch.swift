import JSONText

/// The JSON values in an upload: one, the elements of an array, or several in sequence.
public struct PayloadBatch: Sendable {
    /// Their texts, in order and unchanged.
    public private(set) var payloads: [[UInt8]] = []
    /// The position of each in the upload.
    public private(set) var starts: [Int] = []
    /// The number of values that are too damaged to recognise.
    public private(set) var damagedCount = 0
    /// Whether values were dropped because there were more than ``PayloadLimits/elements``.
    public let isTruncated: Bool
    private let isEmptyArray: Bool
    /// Whether there is nothing but white space.
    public let isEmpty: Bool
    /// The whole content, split into parts for storage: one part per value, and one for all values
    /// after the limit. Text that is not JSON is a single part, because it may be an exception
    /// text.
    ///
    /// A device sends a payload only once, so nothing may be lost. Empty text has no parts.
    public let parts: [[UInt8]]

    public init(_ bytes: [UInt8], limits: PayloadLimits = PayloadLimits()) {
        let text = JSONDetection.trimmed(bytes, in: 0..<bytes.count)
        var splitter = ElementSplitter(bytes, in: text, limits: limits)
        while let piece = splitter.next() {
            let isKnown = piece.document.root.map { PayloadShape(of: $0).isOfMetricKit } ?? false
            if piece.document.failure != nil, !isKnown { damagedCount += 1 }
            payloads.append(Array(bytes[piece.range]))
            starts.append(piece.range.lowerBound)
        }
        isTruncated = splitter.reachedLimit
        isEmpty = text.isEmpty
        isEmptyArray = payloads.isEmpty && JSONDocument(Array(bytes[text])).isArray
        // Text that is not JSON may contain numbers, which would count as values.
        let isJSON = bytes[text].first.map(JSONDetection.isJSON) ?? false
        if !isJSON, damagedCount > 0 { (payloads, starts, damagedCount) = ([], [], 0) }
        if payloads.isEmpty {
            parts = isEmptyArray || isEmpty ? [] : [Array(bytes[text])]
        } else {
            let rest = isTruncated ? bytes[splitter.position..<text.upperBound] : []
            parts = rest.isEmpty ? payloads : payloads + [Array(rest)]
        }
    }

    /// Whether no value is usable. An empty array is usable.
    public var isDamaged: Bool {
        payloads.isEmpty ? !isEmptyArray : damagedCount == payloads.count
    }
}

extension JSONDocument {
    fileprivate var isArray: Bool { failure == nil && root?.kind == .array }
}
