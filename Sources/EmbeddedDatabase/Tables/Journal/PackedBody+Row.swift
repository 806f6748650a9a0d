import Decompression
import Foundation

extension PackedBody {
    /// Compresses a body that is to be stored.
    init(packing body: [UInt8]) throws(DatabaseProblem) {
        do {
            try self.init(body)
        } catch {
            throw DatabaseProblem(error)
        }
    }

    /// A body read from the database.
    init(form: Int, size: Int, data: Data) throws(DatabaseProblem) {
        do {
            try self.init(form: form, size: size, bytes: [UInt8](data))
        } catch {
            throw DatabaseProblem(error)
        }
    }

    /// Returns the body, decompressed.
    func unpacked() throws(DatabaseProblem) -> [UInt8] {
        do {
            return try body()
        } catch {
            throw DatabaseProblem(error)
        }
    }

    /// The bytes as a value of a row.
    var data: Data { Data(bytes) }
}

extension DatabaseProblem {
    fileprivate init(_ error: PackedBodyError) {
        switch error {
        case .tooLarge(let size):
            self = .refusal(
                "a body of \(size) bytes is larger than \(PackedBody.sizeLimit)",
                suggestion: "split it")
        case .damaged(let detail): self = .damage("a body \(detail)")
        }
    }
}
