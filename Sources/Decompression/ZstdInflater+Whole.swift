extension ZstdInflater {
    /// Inflates a complete zstd stream.
    ///
    /// - Parameter limit: The maximum size of the result, in bytes.
    public static func inflated(
        _ stream: [UInt8], limit: Int
    ) throws(CompressionError) -> [UInt8] {
        try inflated(stream, limit: limit, within: nil, subject: "zstd stream")
    }

    /// - Parameter subject: The name in errors.
    static func inflated(
        _ stream: [UInt8], limit: Int, within windowLimit: WindowLimit?, subject: String
    ) throws(CompressionError) -> [UInt8] {
        do {
            var inflater = try Self(windowLimit: windowLimit)
            var result: [UInt8] = []
            try inflater.add(stream.span) { piece in
                guard piece.count <= limit - result.count
                else { throw CompressionError(.tooLarge(limit: limit), in: subject) }
                unsafe piece.withUnsafeBufferPointer { unsafe result.append(contentsOf: $0) }
            }
            guard inflater.isAtEnd else { throw CompressionError(.damaged, in: subject) }
            return result
        } catch let error as CompressionError {
            throw error
        } catch {
            throw CompressionError(.damaged, in: subject)
        }
    }
}
