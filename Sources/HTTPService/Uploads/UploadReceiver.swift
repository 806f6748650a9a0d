import Decompression
import Hummingbird
import HummingbirdCore
import NIOCore
import Problems
import SymbolIntake

/// A received file in the folder for uploads. The caller must remove it.
struct IncomingFile {
    let path: String
    let name: String
}

/// Streams uploads to disk, in constant memory. After a failure, no file remains.
struct UploadReceiver {
    let intake: UploadIntake
    let folders: DataFolders
    /// The maximum size of a request before and after decompression, in bytes.
    let byteLimit: Int64
    /// The suggestion for a larger request.
    let advice: String
    var formLimits = MultipartForm.Limits()

    /// Receives a body that is a single file.
    ///
    /// - Parameter reserve: Called with the size of each piece before it is written.
    func file(
        of request: Request, named name: String, reserve: (Int) throws -> Void
    ) async throws -> [IncomingFile] {
        let path = folders.newIncomingPath()
        do {
            var file = try DurableFileWriter(at: path)
            try await read(request, reserve) { try file.write($0.span) }
            return [IncomingFile(path: path, name: name)]
        } catch {
            folders.remove(path)
            throw error
        }
    }

    /// Receives the files of a form, and adds its other fields to `parameters`.
    func parts(
        of request: Request, _ parameters: inout UploadParameters, reserve: (Int) throws -> Void
    ) async throws -> [IncomingFile] {
        var upload = MultipartForm(
            folders: folders, parameters: parameters, limits: formLimits)
        do {
            try await events(of: request, reserve: reserve) { try upload.receive($0) }
        } catch {
            for file in upload.files { folders.remove(file.path) }
            throw error
        }
        parameters = upload.parameters
        return upload.files
    }

    /// Reads a form, and passes its parts to the caller.
    func events(
        of request: Request, reserve: (Int) throws -> Void,
        _ receive: (MultipartReader.Event) throws -> Void
    ) async throws {
        let type = request.headers[.contentType] ?? ""
        let boundary = HeaderParameters(type).first { $0.0 == "boundary" }?.1 ?? ""
        guard var reader = MultipartReader(boundary: boundary) else {
            throw RequestError.badRequest(
                "malformed",
                Problem(
                    "form", detail: "boundary not 1 to \(MultipartReader.boundaryLimit) bytes long",
                    suggestion: "check the client"))
        }
        do {
            try await read(request, reserve) { bytes in
                reader.receive(bytes)
                while let event = try reader.next() { try receive(event) }
            }
        } catch { throw Self.readable(error) }
        guard reader.isComplete else {
            throw RequestError.badRequest(
                "malformed", Problem("form", detail: "truncated", suggestion: "send the whole body")
            )
        }
    }

    /// Passes on the body in pieces, decompressed if necessary.
    private func read(
        _ request: Request, _ reserve: (Int) throws -> Void, _ write: ([UInt8]) throws -> Void
    ) async throws {
        let declared = request.declaredByteCount ?? 0
        guard declared <= byteLimit else { throw tooLarge }
        try intake.checkFreeSpace(for: Int64(declared))
        var inflater = try request.contentCoding.map { StreamInflater(coding: $0) }
        var (received, count): (Int64, Int64) = (0, 0)
        var nextCheck = Self.bytesPerCheck
        func writeChecked(_ bytes: [UInt8]) throws {
            count += Int64(bytes.count)
            guard count <= byteLimit else { throw tooLarge }
            guard count <= max(received * Self.expansionLimit, Self.freeExpansionBytes) else {
                throw Self.expandsTooMuch
            }
            try reserve(bytes.count)
            if count >= nextCheck {
                try intake.checkFreeSpace()
                nextCheck = count + Self.bytesPerCheck
            }
            try write(bytes)
        }
        for try await piece in request.body {
            let bytes = Array(piece.readableBytesView)
            received += Int64(bytes.count)
            if inflater == nil {
                try writeChecked(bytes)
            } else {
                try inflater?.add(bytes.span) { inflated in
                    try writeChecked(unsafe inflated.withUnsafeBufferPointer { unsafe Array($0) })
                }
            }
        }
        guard inflater?.isAtEnd ?? true else {
            throw RequestError.badRequest(
                "bad_compression",
                Problem("body", detail: "corrupt or truncated", suggestion: "send the whole body"))
        }
    }

    /// The number of bytes between checks of the free disk space.
    private static let bytesPerCheck: Int64 = 1 << 20

    /// The maximum expansion ratio of a compressed body, as for archives.
    private static let expansionLimit: Int64 = 200
    /// The size up to which the ratio is not checked, because empty tables compress well.
    private static let freeExpansionBytes: Int64 = 64 << 20

    private static let expandsTooMuch = RequestError(
        .contentTooLarge, "bundle_too_large",
        Problem(
            "body", detail: "unpacks to more than \(expansionLimit) times its size, the limit",
            suggestion: "send it without Content-Encoding"))

    private var tooLarge: RequestError {
        RequestError(
            .contentTooLarge, "bundle_too_large",
            Problem(
                "bundle", detail: "larger than \(byteLimit) bytes, the limit",
                suggestion: "\(advice)"))
    }

    private static func readable(_ error: any Error) -> any Error {
        guard let error = error as? MultipartReader.Failure else { return error }
        return RequestError.badRequest(
            "malformed", Problem("form", detail: "\(error)", suggestion: "send multipart/form-data")
        )
    }
}
