import SymbolIntake

/// What has been read of a form: its files, and the fields that name the build.
struct FormParts: ~Copyable {
    private(set) var form: UploadForm
    private(set) var files: [ReceivedFile] = []
    private let folders: DataFolders
    private var field: (name: String, value: [UInt8])?
    private var file: NewFile?

    /// How long a field may be, in bytes.
    static let fieldLimit = 1_024
    /// How many files one form may hold.
    static let fileLimit = 100

    init(folders: DataFolders, form: UploadForm) {
        self.folders = folders
        self.form = form
    }

    mutating func take(_ event: MultipartReader.Event) throws {
        switch event {
        case .part(let name, let fileName?): try begin(fileNamed: fileName, field: name)
        case .part(let name, nil): field = (name, [])
        case .content(let bytes): try append(bytes)
        case .endOfPart: endPart()
        case .endOfBody: break
        }
    }

    private mutating func begin(fileNamed fileName: String, field: String) throws {
        guard files.count < Self.fileLimit else {
            throw RequestError.badRequest(
                "too_many_files",
                "form: holds more than \(Self.fileLimit) files: send an archive")
        }
        let path = folders.newIncomingPath()
        files.append(ReceivedFile(path: path, name: fileName.isEmpty ? field : fileName))
        file = try NewFile(at: path)
    }

    private mutating func append(_ bytes: [UInt8]) throws {
        if file != nil {
            try file?.write(bytes.span)
        } else if let open = field {
            guard open.value.count + bytes.count <= Self.fieldLimit else {
                throw RequestError.badRequest(
                    "field_too_long",
                    "form: field '\(open.name.prefix(64))' is too long: shorten it")
            }
            field?.value += bytes
        }
    }

    private mutating func endPart() {
        file = nil
        if let field { form.set(field.name, to: String(decoding: field.value, as: UTF8.self)) }
        field = nil
    }
}
