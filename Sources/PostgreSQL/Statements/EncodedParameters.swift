/// The parameters of a statement in binary format, in one buffer.
@safe
struct EncodedParameters: Sendable {
    private(set) var types: [UInt32] = []
    /// In bytes, 0 for null.
    private(set) var lengths: [Int32] = []
    /// The offset of each value in the buffer, or `nil` for null.
    private var starts: [Int?] = []
    private var writer = ValueWriter()

    /// No parameters.
    init() {}

    /// The maximum number of parameters in the protocol.
    static let countLimit = 65_535

    /// - Throws: ``DatabaseError/invalidStatement(_:)`` if a value cannot be sent.
    init(_ parameters: [Parameter]) throws(DatabaseError) {
        guard parameters.count <= Self.countLimit else {
            throw .invalidStatement("statement has more than \(Self.countLimit) parameters")
        }
        for (number, parameter) in zip(1..., parameters) {
            do {
                try append(parameter)
            } catch {
                throw .invalidStatement("parameter $\(number) \(error.detail)")
            }
        }
        // An empty value needs an address too, because a null pointer means null.
        writer.append(UInt8(0))
    }

    private mutating func append(_ parameter: Parameter) throws(ValueProblem) {
        types.append(parameter.type)
        guard let write = parameter.write else {
            lengths.append(0)
            starts.append(nil)
            return
        }
        let start = writer.bytes.count
        try write(&writer)
        guard let length = Int32(exactly: writer.bytes.count - start) else {
            throw ValueProblem("is larger than 2 GiB")
        }
        lengths.append(length)
        starts.append(start)
    }

    /// Calls `body` with a pointer for each value, valid until it returns.
    func withPointers<Result>(_ body: ([UnsafePointer<CChar>?]) -> Result) -> Result {
        unsafe writer.bytes.withUnsafeBytes { bytes in
            let base = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            return unsafe body(
                starts.map { start in unsafe start.flatMap { unsafe base?.advanced(by: $0) } })
        }
    }
}
