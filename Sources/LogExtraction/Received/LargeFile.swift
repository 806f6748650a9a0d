import Archives

/// A packed file that is too large for memory. It is unpacked again each time it is read, piece by
/// piece.
public struct LargeFile: Sendable {
    /// The path in the archive, or empty for a single compressed file.
    public internal(set) var path: String
    private let member: PackedMember

    init(_ member: PackedMember, path: String) {
        self.member = member
        self.path = path
    }

    /// Calls `body` with the contents, one piece after another, until it returns `false`.
    ///
    /// - Throws: `UnpackingError` if the file is damaged, or unpacks to more than the limits allow.
    ///   The intact bytes before that were passed to `body`.
    public func forEachPiece(
        _ body: (ArraySlice<UInt8>) async -> Bool
    ) async throws(UnpackingError) {
        do throws(ArchiveError) {
            var bytes = try member.open()
            while case let piece = try bytes.next(), !piece.isEmpty {
                guard await body(piece) else { return }
            }
        } catch { throw UnpackingError(error) }
    }

    /// Returns the whole contents.
    ///
    /// - Throws: `UnpackingError` as ``forEachPiece(_:)``, or if there are more than `limit` bytes.
    public func bytes(limit: Int) async throws(UnpackingError) -> [UInt8] {
        var all: [UInt8] = []
        try await forEachPiece { piece in
            all += piece
            return all.count <= limit
        }
        guard all.count <= limit
        else { throw UnpackingError(ArchiveError(member.subject, .fileTooLarge(limit: limit))) }
        return all
    }
}
