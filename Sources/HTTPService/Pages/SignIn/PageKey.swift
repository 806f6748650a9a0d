import Crypto
import ErrorDescriptions
import Foundation
public import Problems

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
        do throws(PageKeyError) {
            symmetric = try Self.key(in: path, replacement: "use a file of random bytes")
        } catch { throw PageKeyError(problem: error.problem.inside("pages.key_file")) }
    }

    /// Reads the key file of a data folder, and creates it with a random key if it is missing.
    ///
    /// - Throws: ``PageKeyError`` if the file cannot be read or created, or has the wrong length.
    public init(dataFile path: String) throws(PageKeyError) {
        let isMissing = !FileManager.default.fileExists(atPath: path)
        symmetric =
            isMissing
            ? try Self.create(path)
            : try Self.key(in: path, replacement: "remove it, and sign in again")
    }

    /// - Parameter replacement: The next step if the file has the wrong length.
    private static func key(
        in path: String, replacement: String
    ) throws(PageKeyError) -> SymmetricKey {
        let bytes: Data
        do { bytes = try Data(contentsOf: URL(filePath: path)) } catch {
            throw PageKeyError(
                problem: Problem(
                    path, detail: "cannot be read (\(ErrorDescription(error)))",
                    suggestion: "check the path and its permissions"))
        }
        guard bytes.count == byteCount else {
            throw PageKeyError(
                problem: Problem(
                    path, detail: "has \(bytes.count) bytes, not \(byteCount)",
                    suggestion: replacement))
        }
        return SymmetricKey(data: bytes)
    }

    private static func create(_ path: String) throws(PageKeyError) -> SymmetricKey {
        let key = SymmetricKey(size: .bits256)
        let isCreated = FileManager.default.createFile(
            atPath: path, contents: unsafe key.withUnsafeBytes { unsafe Data($0) },
            attributes: [.posixPermissions: 0o600])
        guard isCreated else {
            throw PageKeyError(
                problem: Problem(
                    path, detail: "cannot be created", suggestion: "make its folder writable"))
        }
        return key
    }
}

/// The reason why a key file is unusable.
public struct PageKeyError: DescribedError, Hashable {
    public let problem: Problem
}
