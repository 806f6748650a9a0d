extension CompressedBody {
    /// Returns the intact start of a truncated or damaged body, at most `limit` bytes.
    ///
    /// This streams, because the decompressor of ``inflated(limit:)`` returns all or nothing.
    public func inflatedPrefix(limit: Int) -> [UInt8] {
        var inflater = StreamInflater(coding: coding)
        var prefix = InflatedPrefix(limit: limit)
        try? inflater.add(bytes.span) { try prefix.add($0) }
        return prefix.bytes
    }
}

extension ZstdInflater {
    /// Returns the intact start of a truncated or damaged stream, at most `limit` bytes.
    public static func inflatedPrefix(_ stream: [UInt8], limit: Int) -> [UInt8] {
        guard var inflater = try? Self() else { return [] }
        var prefix = InflatedPrefix(limit: limit)
        // zstd loses the output of the step in which it finds the damage, so steps are short.
        for start in stride(from: 0, to: stream.count, by: stepLength) {
            let step = stream[start..<min(start + stepLength, stream.count)]
            guard (try? inflater.add(step.span, { try prefix.add($0) })) != nil else { break }
        }
        return prefix.bytes
    }

    /// The step length in bytes.
    private static let stepLength = 512
}

/// Collects bytes up to a limit.
private struct InflatedPrefix {
    struct IsFull: Error {}

    let limit: Int
    private(set) var bytes: [UInt8] = []

    init(limit: Int) { self.limit = limit }

    mutating func add(_ piece: Span<UInt8>) throws {
        let count = min(piece.count, limit - bytes.count)
        unsafe piece.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0.prefix(count)) }
        if count < piece.count { throw IsFull() }
    }
}
