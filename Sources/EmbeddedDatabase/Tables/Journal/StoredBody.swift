import Decompression
import Foundation

/// A body as stored: compressed if that saves space.
struct StoredBody: Sendable {
    /// The raw values are stored in the database and never change meaning.
    enum Form: Int, Sendable {
        case plain = 0
        case zstd = 1
    }

    var form: Form
    /// The size of the body before compression, in bytes.
    var size: Int
    var bytes: Data

    /// The maximum size of a body. The limit of SQLite is 1,000,000,000 bytes.
    static let sizeLimit = 512 << 20
    /// The size below which compression is not worth its time.
    private static let plainSize = 256
    private static let level = 1

    init(_ body: [UInt8]) throws(DatabaseProblem) {
        size = body.count
        guard size <= Self.sizeLimit else {
            throw DatabaseProblem.refusal(
                "a body of \(size) bytes is larger than \(Self.sizeLimit)", suggestion: "split it")
        }
        if size >= Self.plainSize,
            let packed = try? ZstdBlock(compressing: body, level: Self.level),
            packed.bytes.count < size
        {
            form = .zstd
            bytes = Data(packed.bytes)
        } else {
            form = .plain
            bytes = Data(body)
        }
    }

    /// A body read from the database.
    init(form: Int, size: Int, bytes: Data) throws(DatabaseProblem) {
        guard let form = Form(rawValue: form), 0...Self.sizeLimit ~= size else {
            throw DatabaseProblem.damage("a body of form \(form) and \(size) bytes")
        }
        self.form = form
        self.size = size
        self.bytes = bytes
    }

    /// Returns the body, decompressed.
    func body() throws(DatabaseProblem) -> [UInt8] {
        switch form {
        case .plain: return [UInt8](bytes)
        case .zstd:
            do {
                return try ZstdBlock([UInt8](bytes)).inflated(limit: size)
            } catch {
                throw DatabaseProblem.damage("a body (\(error))")
            }
        }
    }
}
