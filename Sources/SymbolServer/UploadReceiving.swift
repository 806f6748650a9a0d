import Hummingbird
import HummingbirdCore
import NIOCore
import SymbolIntake

/// A file that was received and lies in the folder for uploads; who takes it removes it.
struct ReceivedFile {
    let path: String
    let name: String
}

/// Writes uploads to disk as they arrive, in constant memory.
struct UploadReceiving {
    let folders: DataFolders
    /// In bytes.
    let bundleLimit: Int64

    /// How long a field of a form may be, in bytes.
    private static let fieldLimit = 1_024
    /// How many files one form may hold.
    private static let fileLimit = 100

    /// A body that is one file.
    func file(_ body: RequestBody, named name: String) async throws -> ReceivedFile {
        let path = folders.newIncomingPath()
        return try await removingOnFailure(path) {
            var file = try NewFile(at: path)
            for try await piece in body {
                try checkRoom(file.byteCount, adding: piece.readableBytes)
                try file.write(Array(piece.readableBytesView).span)
            }
            try file.finish()
            return ReceivedFile(path: path, name: name)
        }
    }

    /// The files of a form. Fields that name the build are taken into `form`.
    func parts(
        of body: RequestBody, boundary: String, _ form: inout UploadForm
    ) async throws -> [ReceivedFile] {
        var parts = FormParts(receiving: self, form: form)
        var reader = MultipartReader(boundary: boundary)
        do {
            for try await piece in body {
                reader.receive(piece.readableBytesView)
                while let event = try reader.next() { try parts.take(event) }
            }
            guard reader.isComplete else {
                throw ServiceError.badRequest(
                    "malformed", "form: is cut off: send the whole body")
            }
        } catch {
            for file in parts.files { folders.remove(file.path) }
            throw Self.readable(error)
        }
        form = parts.form
        return parts.files
    }

    private static func readable(_ error: any Error) -> any Error {
        guard let error = error as? MultipartReader.Malformed else { return error }
        return ServiceError.badRequest("malformed", "form: \(error): send multipart/form-data")
    }

    fileprivate func checkRoom(_ count: Int64, adding more: Int) throws {
        guard count + Int64(more) <= bundleLimit else {
            throw ServiceError(
                .contentTooLarge, "bundle_too_large",
                "bundle: is larger than \(bundleLimit) bytes, the limit: raise limits.bundle")
        }
    }

    private func removingOnFailure(
        _ path: String, _ body: () async throws -> ReceivedFile
    ) async throws -> ReceivedFile {
        do { return try await body() } catch {
            folders.remove(path)
            throw error
        }
    }

    /// What has been read of a form.
    private struct FormParts: ~Copyable {
        let receiving: UploadReceiving
        var form: UploadForm
        var files: [ReceivedFile] = []
        private var field: (name: String, value: [UInt8])?
        private var file: NewFile?

        init(receiving: UploadReceiving, form: UploadForm) {
            self.receiving = receiving
            self.form = form
        }

        mutating func take(_ event: MultipartReader.Event) throws {
            switch event {
            case .part(let name, let fileName?): try begin(fileNamed: fileName, field: name)
            case .part(let name, nil): field = (name, [])
            case .content(let bytes): try append(bytes)
            case .endOfPart: try endPart()
            case .endOfBody: break
            }
        }

        private mutating func begin(fileNamed fileName: String, field: String) throws {
            guard files.count < UploadReceiving.fileLimit else {
                throw ServiceError.badRequest(
                    "too_many_files",
                    "form: holds more than \(UploadReceiving.fileLimit) files: send an archive")
            }
            let path = receiving.folders.newIncomingPath()
            files.append(
                ReceivedFile(path: path, name: fileName.isEmpty ? field : fileName))
            file = try NewFile(at: path)
        }

        private mutating func append(_ bytes: [UInt8]) throws {
            if let count = file?.byteCount {
                try receiving.checkRoom(count, adding: bytes.count)
                try file?.write(bytes.span)
            } else if let open = field {
                guard open.value.count + bytes.count <= UploadReceiving.fieldLimit else {
                    throw ServiceError.badRequest(
                        "field_too_long", "form: field '\(open.name)' is too long: shorten it")
                }
                field?.value += bytes
            }
        }

        private mutating func endPart() throws {
            try file?.finish()
            file = nil
            if let field { form.set(field.name, to: String(decoding: field.value, as: UTF8.self)) }
            field = nil
        }
    }
}
