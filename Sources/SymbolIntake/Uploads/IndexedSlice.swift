import DebugFiles
import JSONText
import Problems

/// The output of a worker that indexed a slice: one JSON object.
enum IndexingResult: Sendable {
    case indexed(IndexedSlice)
    /// The file cannot be stored, for this reason.
    case refused(String)
    /// A system call failed, which is not the file's fault.
    case failed(StorageError)
}

/// The properties of a newly built index, and of the blob made with it.
struct IndexedSlice: Hashable, Sendable {
    /// The SHA-256 of the whole file, in lower-case hexadecimal digits.
    var digest: String
    var quality: DebugFileSummary.Quality
    var completeness: Completeness
    var warnings: [String]
    /// The companions that it was built with, or `nil` if there are none.
    var companions: IndexedCompanions?
}

extension IndexingResult {
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        switch self {
        case .refused(let reason): writer.member("refused", reason)
        case .failed(let error):
            writer.member("failed", error.problem.detail)
            if let subject = error.problem.subject { writer.member("subject", subject) }
            if let suggestion = error.problem.suggestion {
                writer.member("suggestion", suggestion)
            }
            writer.key("full")
            writer.bool(error.isFull)
        case .indexed(let slice):
            writer.member("sha256", slice.digest)
            writer.key("quality")
            writer.signed(Int64(slice.quality.rawValue))
            writer.key("completeness")
            slice.completeness.write(to: &writer)
            writer.member("warnings", slice.warnings)
            slice.companions?.write(to: &writer)
        }
        writer.endObject()
    }

    /// Returns `nil` if the object does not have the form that ``write(to:)`` writes.
    init?(_ json: JSONValue) {
        if let reason = json["refused"]?.string {
            self = .refused(reason)
        } else if let detail = json["failed"]?.string {
            let problem = Problem(
                json["subject"]?.string, detail: detail, suggestion: json["suggestion"]?.string)
            self = .failed(StorageError(problem, isFull: json["full"]?.bool ?? false))
        } else if let digest = json["sha256"]?.string, BlobFolder.isName(digest),
            let number = json["quality"]?.unsigned, let warnings = json.texts("warnings"),
            let quality = DebugFileSummary.Quality(rawValue: Int(clamping: number)),
            let completeness = json["completeness"].flatMap({ Completeness($0) })
        {
            self = .indexed(
                IndexedSlice(
                    digest: digest, quality: quality, completeness: completeness,
                    warnings: warnings, companions: IndexedCompanions(json)))
        } else {
            return nil
        }
    }
}

extension IndexedCompanions {
    /// Writes members of an object.
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("companions", digest)
        writer.key("companions_bytes")
        writer.signed(byteCount)
        writer.array("companions_used", entries) { writer, entry in writer.signed(Int64(entry)) }
    }

    /// Reads the members of an object, or returns `nil` if it does not have them.
    fileprivate init?(_ json: JSONValue) {
        guard let digest = json["companions"]?.string, BlobFolder.isName(digest),
            let bytes = json["companions_bytes"]?.unsigned,
            let used = json["companions_used"]?.elements
        else { return nil }
        self.init(
            digest: digest, byteCount: Int64(clamping: bytes),
            entries: used.compactMap { $0.unsigned.map { Int(clamping: $0) } })
    }
}
