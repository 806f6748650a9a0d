import CallStacks
import DebugFiles
import JSONText
import SymbolStores

/// One line of a worker's listing of an upload: a JSON object.
enum ListingLine {
    /// A file with at least one slice.
    case file(ListedFile)
    /// An unusable file, with the reason.
    case refusal(name: String, reason: String)
    /// The build that a property list of the upload names.
    case build(Build)
    /// A bitcode symbol map, or a property list that refers to one.
    case symbolMap(SymbolMapFile)
    /// There is no space to unpack the upload.
    case full(detail: String)

    /// The path of the file, which the service opens.
    var path: String? {
        switch self {
        case .file(let file): file.path
        case .symbolMap(let map): map.path
        case .refusal, .build, .full: nil
        }
    }

    /// The identities of its slices.
    var images: [ImageID] {
        guard case .file(let file) = self else { return [] }
        return file.slices.compactMap(\.image)
    }

    var build: Build? {
        guard case .build(let build) = self else { return nil }
        return build
    }
}

/// One file of an upload, described by the headers of its slices.
struct ListedFile: Sendable {
    struct Slice: Sendable {
        /// The identity, or `nil` if the slice has none, so that no diagnostic can refer to it.
        var image: ImageID?
        var architecture: String
        var kind: String
        /// The name of an Apple system image, from its install path; `nil` for other images.
        var systemName: String?
        /// The kind of companion of other files that it is, or `nil` if it is none.
        var companion: CompanionFiles.Kind?
        /// The build ID of the supplementary file that it refers to, or `nil` if there is none.
        var supplement: ImageID?
        /// Warnings from the headers.
        var warnings: [String]

        var isOfSystem: Bool { systemName != nil }
    }

    var path: String
    var name: String
    /// The size of the whole file.
    var byteCount: Int64
    var slices: [Slice]

    /// Whether any slice has debug information, according to the headers.
    var hasDebugInformation: Bool {
        slices.contains { $0.text(of: .noDebugInfo) == nil }
    }

    /// Whether the file has only split units, which are read with the files that refer to them.
    var isSplitUnits: Bool {
        slices.contains { if case .splitUnits? = $0.companion { true } else { false } }
    }

    /// Whether the file is ELF with code, which a debug file of the same image lacks.
    var isExecutable: Bool {
        slices.contains { DebugFileKind(rawValue: $0.kind)?.isELFWithCode == true }
    }
}

extension ListedFile.Slice {
    /// Returns the warning with a code, without the code.
    func text(of code: DebugFileWarning.Code) -> String? {
        warnings.lazy.compactMap(DebugFileWarning.init(line:)).first { $0.code == code }?.text
    }
}

extension ListingLine {
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        switch self {
        case .refusal(let name, let reason):
            writer.member("name", name)
            writer.member("reason", reason)
        case .full(let detail):
            writer.member("full", detail)
        case .symbolMap(let map):
            writer.member("map", map.path)
            writer.member("name", map.part.fileName)
        case .build(let build):
            writer.member("app", build.app)
            writer.member("version", build.version)
            writer.member("build", build.build)
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

    /// Returns `nil` if the object does not have the form that ``write(to:)`` writes.
    init?(_ json: JSONValue) {
        if let detail = json["full"]?.string {
            self = .full(detail: detail)
            return
        }
        if let app = json["app"]?.string {
            guard let version = json["version"]?.string, let build = json["build"]?.string,
                [app, version, build].allSatisfy(BundlePropertyLists.isName)
            else { return nil }
            self = .build(Build(app: app, version: version, build: build))
            return
        }
        guard let name = json["name"]?.string else { return nil }
        if let map = json["map"]?.string {
            guard let part = SymbolMapFolder.Part(named: name) else { return nil }
            self = .symbolMap(SymbolMapFile(part, at: map))
            return
        }
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
        if let systemName { writer.member("system", systemName) }
        if let companion { writer.member("companion", companion.word) }
        if let supplement { writer.member("supplement", supplement.hex) }
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
        systemName = json["system"]?.string
        companion = json["companion"]?.string.flatMap { CompanionFiles.Kind(word: $0) }
        supplement = json["supplement"]?.string.flatMap { ImageID($0) }
        self.warnings = warnings
    }

    /// Whether a text is a valid architecture name, which is safe as part of a file name.
    private static func isArchitecture(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic || ("0"..."9").contains($0)
                        || $0 == "_" || $0 == "-" || $0 == ".")
            } && !text.hasPrefix(".")
    }
}
