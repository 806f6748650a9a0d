import CallStacks
import DebugFiles
import JSONText

/// What a child found in an upload, one JSON object a line.
enum ListedLine {
    /// A file that holds at least one slice.
    case file(ListedFile)
    /// Something that cannot be used, and why.
    case refusal(name: String, reason: String)
    /// There is no space to unpack it.
    case full(reason: String)
}

/// One file of an upload, by the headers of its slices.
struct ListedFile: Sendable {
    struct Slice: Sendable {
        /// `nil` for one that no diagnostic can name.
        var image: ImageID?
        var architecture: String
        var kind: String
        /// What its headers give reason to say.
        var warnings: [String]
    }

    var path: String
    var name: String
    /// Of the whole file.
    var byteCount: Int64
    var slices: [Slice]

    /// Whether some slice has debug information, by its headers.
    var hasDebugInformation: Bool {
        slices.contains { $0.text(of: .noDebugInfo) == nil }
    }
}

extension ListedFile.Slice {
    /// The warning of a kind, without its code.
    func text(of code: DebugFileWarning.Code) -> String? {
        let start = "\(code.rawValue): "
        return warnings.first { $0.hasPrefix(start) }.map { String($0.dropFirst(start.count)) }
    }
}

extension ListedLine {
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        switch self {
        case .refusal(let name, let reason):
            writer.member("name", name)
            writer.member("reason", reason)
        case .full(let reason):
            writer.member("full", reason)
        case .file(let file):
            writer.member("path", file.path)
            writer.member("name", file.name)
            writer.key("bytes")
            writer.signed(file.byteCount)
            writer.key("slices")
            writer.beginArray()
            for slice in file.slices { slice.write(to: &writer) }
            writer.endArray()
        }
        writer.endObject()
    }

    /// `nil` for what no child of ours writes.
    init?(_ json: JSONValue) {
        if let reason = json["full"]?.string {
            self = .full(reason: reason)
            return
        }
        guard let name = json["name"]?.string else { return nil }
        if let reason = json["reason"]?.string {
            self = .refusal(name: name, reason: reason)
            return
        }
        guard let path = json["path"]?.string, let bytes = json["bytes"]?.unsigned,
            let list = json["slices"]?.elements
        else { return nil }
        var slices: [ListedFile.Slice] = []
        for element in list {
            guard let slice = ListedFile.Slice(element) else { return nil }
            slices.append(slice)
        }
        self = .file(
            ListedFile(path: path, name: name, byteCount: Int64(clamping: bytes), slices: slices))
    }
}

extension ListedFile.Slice {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        if let image { writer.member("uuid", image.hex) }
        writer.member("arch", architecture)
        writer.member("kind", kind)
        writer.member("warnings", warnings)
        writer.endObject()
    }

    fileprivate init?(_ json: JSONValue) {
        guard let architecture = json["arch"]?.string, let kind = json["kind"]?.string,
            let warnings = json.texts("warnings"), Self.isArchitecture(architecture)
        else { return nil }
        image = json["uuid"]?.string.flatMap { ImageID($0) }
        self.architecture = architecture
        self.kind = kind
        self.warnings = warnings
    }

    /// Whether a text may become part of the name of a file.
    private static func isArchitecture(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic || ("0"..."9").contains($0)
                        || $0 == "_" || $0 == "-")
            }
    }
}
