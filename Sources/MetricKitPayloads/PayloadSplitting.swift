import JSONText

/// An upload as the JSON values that it holds: one, the elements of an array, or a line for each.
public struct PayloadSplitting: Sendable {
    /// Their texts, in their order, each as it was received.
    public private(set) var payloads: [[UInt8]] = []
    /// How many of them are damaged or cut off, with nothing left by which to know what they are.
    public private(set) var damagedCount = 0
    /// Whether there were more than ``PayloadLimits/elements``; the rest was left out.
    public let isCut: Bool

    public init(_ bytes: [UInt8], limits: PayloadLimits = PayloadLimits()) {
        let text = JSONStart.trimmed(bytes, 0..<bytes.count)
        guard JSONStart.isContainer(bytes[text])
        else {
            isCut = false
            return
        }
        var splitter = ElementSplitter(bytes, in: text, limits: limits)
        while let piece = splitter.next() {
            let isKnown = piece.document.root.map { PayloadShape(of: $0).isOfMetricKit } ?? false
            if piece.document.failure != nil, !isKnown { damagedCount += 1 }
            payloads.append(Array(bytes[piece.range]))
        }
        isCut = splitter.reachedLimit
    }

    /// Whether nothing in it can be used.
    public var isDamaged: Bool { damagedCount == payloads.count }
}
