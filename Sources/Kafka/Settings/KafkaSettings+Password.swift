import FoundationEssentials
import Problems

extension KafkaSettings {
    private static let passwordBytesLimit = 4096

    /// Returns the password in a file, without the line break at its end.
    ///
    /// - Throws: ``KafkaError`` with the reason `invalidSettings` if the file cannot be read, is
    ///   empty, larger than 4 KiB or not text.
    static func password(inFile path: String) throws(KafkaError) -> String {
        var bytes: [UInt8]
        do { bytes = Array(try Data(contentsOf: URL(filePath: path))) } catch {
            throw invalid(path, "cannot be read")
        }
        guard bytes.count <= passwordBytesLimit else {
            throw invalid(path, "is larger than \(passwordBytesLimit) bytes")
        }
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else { throw invalid(path, "is empty") }
        guard !bytes.contains(0), let password = String(validating: bytes, as: UTF8.self) else {
            throw invalid(path, "is not text")
        }
        return password
    }

    private static func invalid(_ path: String, _ detail: String) -> KafkaError {
        KafkaError(
            .invalidSettings,
            Problem(path, detail: detail, suggestion: "check sasl.password_file"))
    }
}
