import Glibc

/// A file that contains a password, which may be replaced while the program runs.
public struct PasswordFile: Sendable {
    public let path: String

    private static let byteLimit = 4096

    public init(path: String) { self.path = path }

    /// Returns the file's content without the line break at its end.
    ///
    /// - Throws: ``PasswordFileError`` if the file cannot be read, is empty, larger than 4 KiB or
    ///   not text.
    public func password() throws(PasswordFileError) -> String {
        var bytes = try content()
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else { throw PasswordFileError(detail: "is empty") }
        guard !bytes.contains(0), let password = String(validating: bytes, as: UTF8.self) else {
            throw PasswordFileError(detail: "is not text")
        }
        return password
    }

    private func content() throws(PasswordFileError) -> [UInt8] {
        guard let file = unsafe fopen(path, "re") else { throw .unreadable }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: Self.byteLimit + 1)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        guard unsafe ferror(file) == 0 else { throw .unreadable }
        guard count <= Self.byteLimit else {
            throw PasswordFileError(detail: "is larger than \(Self.byteLimit) bytes")
        }
        return Array(bytes.prefix(count))
    }
}

/// The reason why a file contains no password.
public struct PasswordFileError: Error {
    /// What is wrong with the file, such as `cannot be read: No such file or directory`.
    public let detail: String

    fileprivate init(detail: String) { self.detail = detail }

    /// With the text of this thread's last failure.
    fileprivate static var unreadable: Self {
        let cause = unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
        return Self(detail: "cannot be read: \(cause)")
    }
}
