import Decompression
import Foundation

/// A body as the database holds it: packed where that saves something.
struct StoredBody: Sendable {
    /// The numbers stand in the database and never change meaning.
    enum Form: Int, Sendable {
        case plain = 0
        case zstd = 1
    }

    var form: Form
    /// Of the body itself, in bytes.
    var size: Int
    var bytes: Data

    /// The largest body that is kept. SQLite ends at 1,000,000,000 bytes.
    static let sizeLimit = 512 << 20
    /// Bodies below this size lose more time by packing than they gain room.
    private static let plainSize = 256
    private static let level = 1

    init(_ body: [UInt8]) throws(DatabaseProblem) {
        size = body.count
        guard size <= Self.sizeLimit else {
            throw DatabaseProblem.refusal(
                "a body of \(size) bytes is over \(Self.sizeLimit): split it")
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

    /// As it was found.
    init(form: Int, size: Int, bytes: Data) throws(DatabaseProblem) {
        guard let form = Form(rawValue: form), 0...Self.sizeLimit ~= size else {
            throw DatabaseProblem.damage("a body of form \(form) and \(size) bytes")
        }
        self.form = form
        self.size = size
        self.bytes = bytes
    }

    /// What was given to be kept.
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
