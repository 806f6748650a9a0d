import Foundation
import Problems

/// Small files with a secret or a token.
enum CredentialFile {
    /// The maximum size in bytes. Tokens of identity providers have a few KiB.
    static let bytesLimit = 64 << 10

    /// Returns the text of a file without surrounding white space.
    ///
    /// - Throws: ``ObjectStorageError`` if it cannot be read, is empty or has line breaks inside.
    static func text(of path: String) throws(ObjectStorageError) -> String {
        guard let file = FileHandle(forReadingAtPath: path),
            let bytes = try? file.read(upToCount: bytesLimit + 1) ?? Data()
        else {
            throw error(
                path, detail: "cannot be read", suggestion: "check the path and its permissions")
        }
        let text = String(decoding: bytes, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard bytes.count <= bytesLimit, !text.isEmpty,
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            throw error(path, detail: "not a secret", suggestion: "write the secret alone into it")
        }
        return text
    }

    private static func error(
        _ path: String, detail: String, suggestion: String
    ) -> ObjectStorageError {
        ObjectStorageError(
            .accessDenied, Problem(path, detail: detail, suggestion: suggestion))
    }
}
