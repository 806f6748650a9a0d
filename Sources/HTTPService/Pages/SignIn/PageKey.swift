import Crypto
import Foundation

/// The secret that signs the cookies of the pages.
public struct PageKey: Sendable {
    /// The length of a key, in bytes.
    public static let byteCount = 32

    let symmetric: SymmetricKey

    /// A random key, which is lost when the process ends.
    public init() { symmetric = SymmetricKey(size: .bits256) }

    /// Reads a key file, and creates it with a random key if it is missing.
    ///
    /// - Throws: ``PageKeyError`` if the file cannot be read or created, or has the wrong length.
    public init(file path: String) throws(PageKeyError) {
        let found = FileManager.default.contents(atPath: path)
        let bytes = if let found { found } else { try Self.create(path) }
        guard bytes.count == Self.byteCount else {
            throw PageKeyError(
                "\(path): has \(bytes.count) bytes, not \(Self.byteCount): "
                    + "remove it, and sign in again")
        }
        symmetric = SymmetricKey(data: bytes)
    }

    private static func create(_ path: String) throws(PageKeyError) -> Data {
        let key = unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Data($0) }
        let isCreated = FileManager.default.createFile(
            atPath: path, contents: key, attributes: [.posixPermissions: 0o600])
        guard isCreated else {
            throw PageKeyError("\(path): cannot be read or created: make its folder writable")
        }
        return key
    }
}

/// The reason why a key file is unusable.
public struct PageKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
