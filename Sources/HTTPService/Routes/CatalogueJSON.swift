import CallStacks
import DebugFiles
import Ingest
import SymbolIntake

/// A stored debug file.
struct DebugFileJSON: Encodable {
    /// The owner, or `null` for a file that belongs to all apps.
    @ExplicitNull var app: String?
    let uuid: String
    let arch: String
    let name: String
    let kind: String
    /// `indexed`, or `stored` if only symbol names are known.
    let status: String
    let quality: String
    /// The numbers of compilation units and of unreadable ones, which the warnings explain, or
    /// `null` if an earlier version stored the file.
    @ExplicitNull var units: Int?
    @ExplicitNull var unreadUnits: Int?
    let sha256: String
    let bytes: Int64
    let storedBytes: Int64
    let uploadedAt: String
    let lastUsedAt: String
    let warnings: [String]
    /// The file with the code of an ELF image whose debug file has none; absent without one.
    let executable: ExecutableJSON?
    /// The files that the debug file is indexed with, in one blob; absent without any.
    let companions: CompanionsJSON?

    init(_ file: StoredDebugFile) {
        app = file.owner.app
        uuid = file.image.description
        arch = file.architecture
        name = file.name
        kind = file.kind
        status = file.status.rawValue
        quality = file.quality.name
        units = file.completeness.map { $0.unitsRead + $0.unitsUnread }
        unreadUnits = file.completeness?.unitsUnread
        sha256 = file.blob
        bytes = file.byteCount
        storedBytes = file.storedByteCount
        uploadedAt = file.upload.text
        lastUsedAt = file.lastUse.text
        warnings = file.warnings
        executable = file.executable.map { ExecutableJSON($0) }
        companions = file.companions.map { CompanionsJSON($0) }
    }
}

/// The split units and the supplementary file of a stored debug file.
struct CompanionsJSON: Encodable {
    let sha256: String
    let bytes: Int64
    let storedBytes: Int64
    /// The build ID of the supplementary file; absent without one.
    let supplement: String?

    init(_ companions: StoredCompanions) {
        sha256 = companions.blob
        bytes = companions.byteCount
        storedBytes = companions.storedByteCount
        supplement = companions.supplement?.hex
    }
}

/// An executable beside a stored debug file.
struct ExecutableJSON: Encodable {
    let name: String
    let kind: String
    let sha256: String
    let bytes: Int64
    let storedBytes: Int64

    init(_ executable: StoredExecutable) {
        name = executable.name
        kind = executable.kind
        sha256 = executable.blob
        bytes = executable.byteCount
        storedBytes = executable.storedByteCount
    }
}

/// A build with its images.
struct BuildJSON: Encodable {
    struct Image: Encodable {
        let uuid: String
        let arch: String
        let name: String
        /// The quality of the debug file, or `null` if none was uploaded.
        @ExplicitNull var quality: String?
        let hasDebugInformation: Bool
    }

    let app: String
    let version: String
    let build: String
    /// The commit that the build was made from; absent if no upload named one.
    let commit: String?
    let firstUpload: String
    let lastUpload: String
    let images: [Image]

    init(_ contents: BuildContents) {
        app = contents.build.app
        version = contents.build.version
        build = contents.build.build
        commit = contents.commit?.description
        firstUpload = contents.firstUpload.text
        lastUpload = contents.lastUpload.text
        images = contents.images.map { image, file in
            Image(
                uuid: image.image.description, arch: image.architecture, name: image.name,
                quality: file?.quality.name,
                hasDebugInformation: file?.hasLines ?? false)
        }
    }
}

/// A version that has diagnostics and lacks symbols.
struct IncompleteVersionJSON: Encodable {
    let app: String
    /// The version with its build, such as `1.4.0 (217)`.
    let version: String
    let missingImages: Int
    let diagnostics: Int
    let lastSeen: String

    init(_ version: IncompleteVersion) {
        app = version.app
        self.version = version.version
        missingImages = version.imageCount
        diagnostics = version.waitingCount
        lastSeen = version.lastSeen.text
    }
}

/// A system with stored images.
struct StoredSystemJSON: Encodable {
    let os: String
    let build: String
    let arch: String
    let images: Int
    let storedBytes: Int64

    init(_ stored: StoredSystem) {
        os = stored.system.name
        build = stored.system.build
        arch = stored.system.architecture
        images = stored.imageCount
        storedBytes = stored.storedByteCount
    }
}

extension DebugFileSummary.Quality {
    /// A description of the file's contents for people.
    var words: String {
        switch self {
        case .nothing: "nothing"
        case .exportedSymbols: "exported symbols only"
        case .symbols: "symbol table only"
        case .lines: "lines"
        case .full: "lines and inlined calls"
        }
    }

    /// The name in JSON.
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
