import CallStacks
import DebugFiles
import FoundationEssentials
import Ingest
import PostgreSQL
import SymbolIntake

extension StoredDebugFile {
    /// The columns that ``init(_:)`` of a row reads.
    static let columns = """
        app, image, architecture, name, kind, quality, completeness, blob, size, stored, upload,
        last_use, warnings, \(StoredExecutable.columns), \(StoredCompanions.columns)
        """

    /// Selects the files of the images in `$1`.
    static let ofImages = """
        SELECT \(columns) FROM debug_file WHERE image = ANY ($1) ORDER BY image, architecture, id
        """

    static func parameters(_ images: [ImageID]) -> [Parameter] {
        [.value(images.map(\.bytes), .array(of: .bytea))]
    }

    /// - Parameter readsCompleteness: Whether its completeness is read.
    init(_ row: Row, readsCompleteness: Bool = true) throws {
        guard let quality = DebugFileSummary.Quality(rawValue: Int(try row.value(5, .int4))) else {
            throw JournalError.damage("a debug file")
        }
        self.init(
            owner: SymbolOwner(column: try row.value(0, .text)),
            image: try ImageID(column: try row.value(1, .bytea)),
            architecture: try row.value(2, .text), name: try row.value(3, .text),
            kind: try row.value(4, .text), quality: quality,
            completeness: try (readsCompleteness ? row.optional(6, .text) : nil).map {
                try JSONDecoder().decode(Completeness.self, from: Data($0.utf8))
            },
            blob: try row.value(7, .text), byteCount: try row.value(8, .int8),
            storedByteCount: try row.value(9, .int8),
            upload: UnixTime(rawValue: try row.value(10, .int8)),
            warnings: try row.value(12, .array(of: .text)))
        lastUse = UnixTime(rawValue: try row.value(11, .int8))
        executable = try StoredExecutable(row, from: 13)
        companions = try StoredCompanions(row, from: 18)
    }

    /// The values of ``columns``.
    var parameters: [Parameter] {
        get throws {
            let completeness = try completeness.map {
                String(decoding: try JSONEncoder().encode($0), as: UTF8.self)
            }
            return [
                .value(owner.column, .text), .value(image.bytes, .bytea),
                .value(architecture, .text), .value(name.withoutNUL, .text), .value(kind, .text),
                .value(Int32(clamping: quality.rawValue), .int4), .optional(completeness, .text),
                .value(blob, .text), .value(byteCount, .int8), .value(storedByteCount, .int8),
                .value(upload.rawValue, .int8), .value(max(lastUse, upload).rawValue, .int8),
                .value(warnings.map(\.withoutNUL), .array(of: .text)),
            ] + StoredExecutable.parameters(executable) + StoredCompanions.parameters(companions)
        }
    }

    /// The values that identify its row: image, architecture, app and blob.
    var keyParameters: [Parameter] {
        [
            .value(image.bytes, .bytea), .value(architecture, .text), .value(owner.column, .text),
            .value(blob, .text),
        ]
    }
}

extension StoredExecutable {
    static let columns = """
        executable_blob, executable_name, executable_kind, executable_size, executable_stored
        """

    /// The values of ``columns``.
    static func parameters(_ executable: Self?) -> [Parameter] {
        [
            .optional(executable?.blob, .text), .optional(executable?.name.withoutNUL, .text),
            .optional(executable?.kind, .text), .optional(executable?.byteCount, .int8),
            .optional(executable?.storedByteCount, .int8),
        ]
    }

    /// Reads the ``columns`` of a row, or returns `nil` if it has no executable.
    fileprivate init?(_ row: Row, from first: Int) throws {
        guard let blob = try row.optional(first, .text) else { return nil }
        self.init(
            name: try row.value(first + 1, .text), kind: try row.value(first + 2, .text),
            blob: blob, byteCount: try row.value(first + 3, .int8),
            storedByteCount: try row.value(first + 4, .int8))
    }
}

extension StoredCompanions {
    static let columns = "companions_blob, companions_size, companions_stored, supplement"

    /// The values of ``columns``.
    static func parameters(_ companions: Self?) -> [Parameter] {
        [
            .optional(companions?.blob, .text), .optional(companions?.byteCount, .int8),
            .optional(companions?.storedByteCount, .int8),
            .optional(companions?.supplement?.bytes, .bytea),
        ]
    }

    /// Reads the ``columns`` of a row, or returns `nil` if it has no companions.
    fileprivate init?(_ row: Row, from first: Int) throws {
        guard let blob = try row.optional(first, .text) else { return nil }
        self.init(
            blob: blob, byteCount: try row.value(first + 1, .int8),
            storedByteCount: try row.value(first + 2, .int8),
            supplement: try row.optional(first + 3, .bytea).map { try ImageID(column: $0) })
    }
}

extension SymbolOwner {
    /// The app, or an empty string for everyone. An empty app name counts as none.
    var column: String { app?.asKey ?? "" }

    init(column: String) { self.init(app: column.isEmpty ? nil : column) }
}

extension ImageID {
    init(column: [UInt8]) throws(JournalError) {
        guard let image = Self(bytes: column) else { throw JournalError.damage("an identity") }
        self = image
    }
}
