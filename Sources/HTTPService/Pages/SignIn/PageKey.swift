import Crypto
import ErrorDescriptions
import Foundation

/// The secret that signs the cookies of the pages.
public struct PageKey: Sendable {
    /// The length of a key, in bytes.
    public static let byteCount = 32

    let symmetric: SymmetricKey

    /// A random key, which is lost when the process ends.
    public init() { symmetric = SymmetricKey(size: .bits256) }

    /// Reads a configured key file.
    ///
    /// - Throws: ``PageKeyError`` if the file cannot be read, or has the wrong length.
    public init(configuredFile path: String) throws(PageKeyError) {
        let bytes = try Self.contents(of: path)
        guard bytes.count == Self.byteCount else {
            throw PageKeyError(
                "pages.key_file: '\(path)' has \(bytes.count) bytes: "
                    + "use a file of \(Self.byteCount) random bytes")
        }
        symmetric = SymmetricKey(data: bytes)
    }

    /// Reads the key file of a data folder, and creates it with a random key if it is missing.
    ///
    /// - Throws: ``PageKeyError`` if the file cannot be read or created, or has the wrong length.
    public init(dataFile path: String) throws(PageKeyError) {
        let isMissing = !FileManager.default.fileExists(atPath: path)
        let bytes = isMissing ? try Self.create(path) : try Self.contents(of: path)
        guard bytes.count == Self.byteCount else {
            throw PageKeyError(
                "\(path): has \(bytes.count) bytes, not \(Self.byteCount): "
                    + "remove it, and sign in again")
        }
        symmetric = SymmetricKey(data: bytes)
    }

    private static func contents(of path: String) throws(PageKeyError) -> Data {
        do { return try Data(contentsOf: URL(filePath: path)) } catch {
            throw PageKeyError(
                "pages.key_file: '\(path)' cannot be read (\(ErrorDescription(error))): "
                    + "check the path and its permissions")
        }
    }

    private static func create(_ path: String) throws(PageKeyError) -> Data {
        let key = unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Data($0) }
        let isCreated = FileManager.default.createFile(
            atPath: path, contents: key, attributes: [.posixPermissions: 0o600])
        guard isCreated else {
            throw PageKeyError("\(path): cannot be created: make its folder writable")
        }
        return key
    }
}

/// The reason why a key file is unusable.
public struct PageKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
