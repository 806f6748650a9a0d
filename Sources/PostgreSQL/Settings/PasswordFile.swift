import Glibc
import Problems

/// A file that contains a password, which may be replaced while the program runs.
struct PasswordFile: Sendable {
    let path: String

    private static let byteLimit = 4096

    /// Returns the file's content without the line break at its end.
    ///
    /// - Throws: ``DatabaseError/invalidSettings(_:)`` if the file cannot be read, is empty, larger
    ///   than 4 KiB or not text.
    func password() throws(DatabaseError) -> String {
        var bytes = try content()
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else { throw invalid("is empty") }
        guard !bytes.contains(0), let password = String(validating: bytes, as: UTF8.self) else {
            throw invalid("is not text")
        }
        return password
    }

    private func content() throws(DatabaseError) -> [UInt8] {
        guard let file = unsafe fopen(path, "re") else {
            throw invalid("cannot be read: \(Self.reason)")
        }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: Self.byteLimit + 1)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        guard unsafe ferror(file) == 0 else { throw invalid("cannot be read: \(Self.reason)") }
        guard count <= Self.byteLimit else {
            throw invalid("is larger than \(Self.byteLimit) bytes")
        }
        return Array(bytes.prefix(count))
    }

    /// The text of this thread's last failure.
    private static var reason: String {
        unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
    }

    private func invalid(_ detail: String) -> DatabaseError {
        .invalidSettings(
            Problem(path, detail: detail, suggestion: "check database.password_file"))
    }
}
