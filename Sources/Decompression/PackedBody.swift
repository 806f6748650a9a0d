/// A body as databases store it: compressed with zstd if that saves space.
public struct PackedBody: Sendable {
    /// The raw values are stored in databases and never change meaning.
    public enum Form: Int, Sendable {
        case plain = 0
        case zstd = 1
    }

    public let form: Form
    /// The size of the body before compression, in bytes.
    public let size: Int
    /// The bytes to store.
    public let bytes: [UInt8]

    /// The maximum size of a body. The limits of SQLite and PostgreSQL are about 1 GB.
    public static let sizeLimit = 512 << 20
    /// The size below which compression is not worth its time.
    private static let plainSize = 256
    private static let level = 1

    /// - Throws: ``PackedBodyError/tooLarge(size:)``.
    public init(_ body: [UInt8]) throws(PackedBodyError) {
        size = body.count
        guard size <= Self.sizeLimit else { throw .tooLarge(size: size) }
        if size >= Self.plainSize,
            let packed = try? ZstdBlock(compressing: body, level: Self.level),
            packed.bytes.count < size
        {
            form = .zstd
            bytes = packed.bytes
        } else {
            form = .plain
            bytes = body
        }
    }

    /// A body read from a database.
    ///
    /// - Throws: ``PackedBodyError/damaged(_:)`` if the form or the size is invalid.
    public init(form: Int, size: Int, bytes: [UInt8]) throws(PackedBodyError) {
        guard let known = Form(rawValue: form), 0...Self.sizeLimit ~= size else {
            throw .damaged("of form \(form) and \(size) bytes")
        }
        self.form = known
        self.size = size
        self.bytes = bytes
    }

    /// Returns the body, decompressed.
    ///
    /// - Throws: ``PackedBodyError/damaged(_:)``.
    public func body() throws(PackedBodyError) -> [UInt8] {
        switch form {
        case .plain: return bytes
        case .zstd:
            do {
                return try ZstdBlock(bytes).inflated(limit: size)
            } catch {
                throw .damaged("(\(error))")
            }
        }
    }
}

/// Why a body cannot be stored or read.
public enum PackedBodyError: Error, Hashable {
    /// The body is larger than ``PackedBody/sizeLimit``.
    case tooLarge(size: Int)
    /// The stored body is invalid, with details such as `(zstd block: …)`.
    case damaged(String)
}
