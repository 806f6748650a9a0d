import HTTPTypes
import Problems
import SentryProtocol
import SymbolIntake

/// The parts of a form with chunks, each stored as soon as it is complete.
struct ChunkForm: ~Copyable {
    let store: ChunkStore
    let sender: ChunkSender
    /// The size limit of all chunks on disk, in bytes.
    let byteLimit: Int64
    private var draft: ChunkDraft?
    private var checksum: SHA1Checksum?
    private var count = 0
    /// The chunks that were received completely.
    private(set) var received: [SHA1Checksum] = []

    init(store: ChunkStore, sender: ChunkSender, byteLimit: Int64) {
        self.store = store
        self.sender = sender
        self.byteLimit = byteLimit
    }

    mutating func receive(_ event: MultipartReader.Event) throws {
        switch event {
        case .part(let name, let fileName?): try begin(name, fileName)
        case .content(let bytes): try draft?.write(bytes.span)
        case .endOfPart: try endPart()
        // Fields are ignored.
        case .part, .endOfBody: break
        }
    }

    /// Removes a chunk that was not received completely.
    mutating func discard() {
        if let draft = draft.take() { store.discard(draft) }
    }

    private mutating func begin(_ name: String, _ fileName: String) throws {
        guard ["file", "file_gzip"].contains(name), let checksum = SHA1Checksum(fileName) else {
            throw RequestError.badRequest(
                "bad_part",
                Problem(
                    "form", detail: "part '\(name.prefix(64))' is not a chunk",
                    suggestion: "name it file or file_gzip, with the SHA-1 as its file name"))
        }
        guard count < ChunkUploadOptions.chunkLimit else {
            throw RequestError(
                .contentTooLarge, "too_many_chunks",
                Problem(
                    "form", detail: "more than \(ChunkUploadOptions.chunkLimit) chunks",
                    suggestion: "send fewer at a time"))
        }
        count += 1
        self.checksum = checksum
        draft = try store.draft(isCompressed: name == "file_gzip")
    }

    private mutating func endPart() throws {
        guard let checksum, let draft = draft.take() else { return }
        self.checksum = nil
        try store.keep(draft, as: checksum, from: sender, limit: byteLimit)
        received.append(checksum)
    }
}
