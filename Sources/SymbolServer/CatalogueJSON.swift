import CallStacks
import DebugFiles
import SymbolIntake

/// One stored debug file, as lists show it.
struct DebugFileJSON: Encodable {
    /// `null` for a file of everyone.
    @Null var app: String?
    let uuid: String
    let arch: String
    let name: String
    let kind: String
    /// `indexed`, or `stored` where only names of symbols are known.
    let status: String
    let quality: String
    /// Compilation units, and those of them that could not be read; `null` if an earlier version
    /// stored the file. The warnings say why.
    @Null var units: Int?
    @Null var unreadUnits: Int?
    let sha256: String
    let bytes: Int64
    let storedBytes: Int64
    let uploadedAt: String
    let lastUsedAt: String
    let warnings: [String]

    init(_ file: StoredDebugFile) {
        app = file.owner.app
        uuid = file.image.description
        arch = file.architecture
        name = file.name
        kind = file.kind
        status = (file.quality >= .lines ? IntakeAnswer.Status.indexed : .stored).rawValue
        quality = file.quality.name
        units = file.completeness.map { $0.unitsRead + $0.unitsUnread }
        unreadUnits = file.completeness?.unitsUnread
        sha256 = file.blob
        bytes = file.byteCount
        storedBytes = file.storedByteCount
        uploadedAt = file.upload.text
        lastUsedAt = file.lastUse.text
        warnings = file.warnings
    }
}

/// One build with its images, and which of them have debug information.
struct BuildJSON: Encodable {
    struct Image: Encodable {
        let uuid: String
        let arch: String
        let name: String
        /// `null` where no debug file was uploaded.
        @Null var quality: String?
        let hasDebugInformation: Bool
    }

    let app: String
    let version: String
    let build: String
    let firstUpload: String
    let lastUpload: String
    let images: [Image]

    init(_ contents: BuildContents) {
        app = contents.build.app
        version = contents.build.version
        build = contents.build.build
        firstUpload = contents.firstUpload.text
        lastUpload = contents.lastUpload.text
        images = contents.images.map { image, quality in
            Image(
                uuid: image.image.description, arch: image.architecture, name: image.name,
                quality: quality?.name, hasDebugInformation: quality.map { $0 >= .lines } ?? false)
        }
    }
}

extension DebugFileSummary.Quality {
    /// As answers write it.
    var name: String {
        switch self {
        case .nothing: "nothing"
        case .exportedSymbols: "exported_symbols"
        case .symbols: "symbols"
        case .lines: "lines"
        case .full: "full"
        }
    }
}
