import DebugFiles
import JSONText

/// What a child says about the slice that it indexed: a single JSON object.
enum IndexingResult: Sendable {
    case indexed(IndexedSlice)
    /// The file is not one that can be kept, in words.
    case refused(String)
    /// The system would not do what was needed.
    case failed(String, isFull: Bool)
}

/// An index that was built, and the blob that was made beside it.
struct IndexedSlice: Hashable, Sendable {
    /// Of the whole file, in lower-case hexadecimal digits.
    var digest: String
    var quality: DebugFileSummary.Quality
    var completeness: Completeness
    var warnings: [String]
}

extension IndexingResult {
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        switch self {
        case .refused(let reason): writer.member("refused", reason)
        case .failed(let reason, let isFull):
            writer.member("failed", reason)
            writer.key("full")
            writer.bool(isFull)
        case .indexed(let slice):
            writer.member("sha256", slice.digest)
            writer.key("quality")
            writer.signed(Int64(slice.quality.rawValue))
            writer.key("completeness")
            slice.completeness.write(to: &writer)
            writer.member("warnings", slice.warnings)
        }
        writer.endObject()
    }

    /// `nil` for what no child of ours writes.
    init?(_ json: JSONValue) {
        if let reason = json["refused"]?.string {
            self = .refused(reason)
        } else if let reason = json["failed"]?.string {
            self = .failed(reason, isFull: json["full"]?.bool ?? false)
        } else if let digest = json["sha256"]?.string, BlobFolder.isName(digest),
            let number = json["quality"]?.unsigned, let warnings = json.texts("warnings"),
            let quality = DebugFileSummary.Quality(rawValue: Int(clamping: number)),
            let completeness = json["completeness"].flatMap({ Completeness($0) })
        {
            self = .indexed(
                IndexedSlice(
                    digest: digest, quality: quality, completeness: completeness,
                    warnings: warnings))
        } else {
            return nil
        }
    }
}
