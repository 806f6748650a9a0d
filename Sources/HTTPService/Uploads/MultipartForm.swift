import Problems
import SymbolIntake

/// The content of a form received so far: its files, and the fields that name the build.
struct MultipartForm: ~Copyable {
    private(set) var parameters: UploadParameters
    private(set) var files: [IncomingFile] = []
    private let folders: DataFolders
    private var field: (name: String, value: [UInt8])?
    private var file: DurableFileWriter?

    /// The limits of a form.
    struct Limits {
        /// The maximum length of a field, in bytes.
        var fieldBytes = 1_024
        /// The maximum number of files.
        var fileCount = 100
        /// A field whose text is received as a file.
        var textField: String?

        /// A user may drop a whole folder, or paste a report.
        static let drop = Self(fileCount: 10_000, textField: "text")
    }

    private let limits: Limits

    init(folders: DataFolders, parameters: UploadParameters, limits: Limits) {
        self.folders = folders
        self.limits = limits
        self.parameters = parameters
    }

    mutating func receive(_ event: MultipartReader.Event) throws {
        switch event {
        case .part(let name, let fileName?): try begin(fileNamed: fileName, field: name)
        case .part(let name, nil) where name == limits.textField:
            try begin(fileNamed: "pasted text", field: name)
        case .part(let name, nil): field = (name, [])
        case .content(let bytes): try append(bytes)
        case .endOfPart: endPart()
        case .endOfBody: break
        }
    }

    private mutating func begin(fileNamed fileName: String, field: String) throws {
        guard files.count < limits.fileCount else {
            throw RequestError.badRequest(
                "too_many_files",
                Problem(
                    "form", detail: "more than \(limits.fileCount) files",
                    suggestion: "send an archive"))
        }
        let path = folders.newIncomingPath()
        files.append(IncomingFile(path: path, name: fileName.isEmpty ? field : fileName))
        file = try DurableFileWriter(at: path)
    }

    private mutating func append(_ bytes: [UInt8]) throws {
        if file != nil {
            try file?.write(bytes.span)
        } else if let open = field {
            guard open.value.count + bytes.count <= limits.fieldBytes else {
                throw RequestError.badRequest(
                    "field_too_long",
                    Problem(
                        "form",
                        detail:
                            "field '\(open.name.prefix(64))' longer than \(limits.fieldBytes) bytes",
                        suggestion: "shorten it"))
            }
            field?.value += bytes
        }
    }

    private mutating func endPart() {
        file = nil
        if let field {
            parameters.set(field.name, to: String(decoding: field.value, as: UTF8.self))
        }
        field = nil
    }
}
