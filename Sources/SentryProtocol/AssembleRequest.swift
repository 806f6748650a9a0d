import CallStacks
import Foundation
public import SymbolIntake

/// The files of an upload, by their checksums.
public struct AssembleRequest: Sendable {
    public struct File: Hashable, Sendable {
        public var content: ChunkedFile
        /// The file's debug ID, as the client spelled it.
        public var debugID: String?
    }

    /// The files by the client's keys, which the reply repeats.
    public let files: [String: File]

    /// The largest request, in bytes. It lists every file of a run.
    public static let byteLimit = 32 << 20

    private struct Entry: Decodable {
        let name: String
        var debug_id: String?
        let chunks: [String]
    }

    /// - Throws: ``AssembleRequestError`` if the text is not a request.
    public init(_ text: [UInt8]) throws(AssembleRequestError) {
        guard let entries = try? JSONDecoder().decode([String: Entry].self, from: Data(text))
        else { throw AssembleRequestError("body: not an object of files: check the client") }
        var files: [String: File] = [:]
        for (key, entry) in entries {
            files[key] = try Self.file(key, entry)
        }
        self.files = files
    }

    private static func file(
        _ key: String, _ entry: Entry
    ) throws(AssembleRequestError) -> File {
        var chunks: [SHA1Checksum] = []
        for text in entry.chunks { chunks.append(try checksum(text)) }
        return File(
            content: ChunkedFile(
                checksum: try checksum(key), chunks: chunks, name: entry.name,
                debugID: entry.debug_id.flatMap { DebugID($0) }),
            debugID: entry.debug_id)
    }

    private static func checksum(_ text: String) throws(AssembleRequestError) -> SHA1Checksum {
        guard let checksum = SHA1Checksum(text) else {
            throw AssembleRequestError(
                "checksum: '\(text.prefix(64))' is not a SHA-1: use 40 hexadecimal digits")
        }
        return checksum
    }
}

/// Why a text is not an ``AssembleRequest``.
public struct AssembleRequestError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
