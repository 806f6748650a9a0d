/// A file of an archive, or a single compressed file, that can be read repeatedly, piece by piece.
public struct PackedMember: Sendable {
    /// The subject of errors about it.
    public let subject: String
    private let source: ArchiveSource
    private let limits: UnpackingLimits
    /// The number of entries before it.
    private let position: Int

    init(_ subject: String, at position: Int, of source: ArchiveSource, limits: UnpackingLimits) {
        self.subject = subject
        self.position = position
        self.source = source
        self.limits = limits
    }

    /// - Throws: ``ArchiveError`` if the archive is damaged before the file.
    public func open() throws(ArchiveError) -> MemberBytes {
        do throws(ArchiveError.Reason) {
            var reader = try ArchiveReader.open(source)
            for _ in 0...position where try reader.nextHeader() == nil { throw .truncated }
            let budget = UnpackingBudget(limits, packedBytes: source.bytes.count)
            return MemberBytes(subject, reader: reader, budget: budget)
        } catch { throw ArchiveError(subject, error) }
    }
}

/// The bytes of one packed file, unpacked on demand.
public struct MemberBytes: ~Copyable {
    private let subject: String
    private var reader: ArchiveReader
    private var budget: UnpackingBudget
    private var buffer = [UInt8](repeating: 0, count: 1 << 18)

    fileprivate init(
        _ subject: String, reader: consuming ArchiveReader, budget: UnpackingBudget
    ) {
        self.subject = subject
        self.reader = reader
        self.budget = budget
    }

    /// Returns the next bytes, or no bytes at the end.
    ///
    /// - Throws: ``ArchiveError`` if the file is damaged, or unpacks to more than the limits allow.
    public mutating func next() throws(ArchiveError) -> ArraySlice<UInt8> {
        do throws(ArchiveError.Reason) {
            let count = try reader.read(into: &buffer, count: buffer.count)
            try budget.spend(bytes: count)
            return buffer.prefix(count)
        } catch { throw ArchiveError(subject, error) }
    }
}
