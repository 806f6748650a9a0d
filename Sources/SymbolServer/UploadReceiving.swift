import Decompression
import Hummingbird
import HummingbirdCore
import NIOCore
import SymbolIntake

/// A file that was received and lies in the folder for uploads; who takes it removes it.
struct ReceivedFile {
    let path: String
    let name: String
}

/// Writes uploads to disk as they arrive, in constant memory. A failure leaves nothing there.
struct UploadReceiving {
    let intake: BundleIntake
    let folders: DataFolders
    /// In bytes, of all that one request holds, as it is sent and after inflating.
    let bundleLimit: Int64
    /// Called with the size of each piece before it is written.
    let takeRoom: (Int) throws -> Void

    /// A body that is one file.
    func file(of request: Request, named name: String) async throws -> [ReceivedFile] {
        let path = folders.newIncomingPath()
        do {
            var file = try NewFile(at: path)
            try await read(request) { try file.write($0.span) }
            return [ReceivedFile(path: path, name: name)]
        } catch {
            folders.remove(path)
            throw error
        }
    }

    /// The files of a form. Fields that name the build are taken into `form`.
    func parts(
        of request: Request, boundary: String, _ form: inout UploadForm
    ) async throws -> [ReceivedFile] {
        guard var reader = MultipartReader(boundary: boundary) else {
            throw RequestError.badRequest(
                "malformed",
                "form: boundary has not 1 to \(MultipartReader.boundaryLimit) bytes: send another")
        }
        var parts = FormParts(folders: folders, form: form)
        do {
            try await read(request) { bytes in
                reader.receive(bytes)
                while let event = try reader.next() { try parts.take(event) }
            }
            guard reader.isComplete else {
                throw RequestError.badRequest(
                    "malformed", "form: is cut off: send the whole body")
            }
        } catch {
            for file in parts.files { folders.remove(file.path) }
            throw Self.readable(error)
        }
        form = parts.form
        return parts.files
    }

    /// Hands on the body in pieces, inflated if the client compressed it.
    private func read(
        _ request: Request, _ take: ([UInt8]) throws -> Void
    ) async throws {
        let declared = request.declaredByteCount ?? 0
        guard declared <= bundleLimit else { throw tooLarge }
        try intake.checkFreeSpace(for: Int64(declared))
        var inflater = try request.contentCoding.map { StreamInflater(coding: $0) }
        var count: Int64 = 0
        var nextCheck = Self.bytesPerCheck
        func takeChecked(_ bytes: [UInt8]) throws {
            count += Int64(bytes.count)
            guard count <= bundleLimit else { throw tooLarge }
            try takeRoom(bytes.count)
            if count >= nextCheck {
                try intake.checkFreeSpace()
                nextCheck = count + Self.bytesPerCheck
            }
            try take(bytes)
        }
        for try await piece in request.body {
            let bytes = Array(piece.readableBytesView)
            if inflater == nil {
                try takeChecked(bytes)
            } else {
                try inflater?.add(bytes.span) { inflated in
                    try takeChecked(unsafe inflated.withUnsafeBufferPointer { unsafe Array($0) })
                }
            }
        }
        guard inflater?.isAtEnd ?? true else {
            throw RequestError.badRequest(
                "bad_compression", "body: is damaged or cut off: send it whole")
        }
    }

    /// How much is written between two looks at the free space.
    private static let bytesPerCheck: Int64 = 1 << 20

    private var tooLarge: RequestError {
        RequestError(
            .contentTooLarge, "bundle_too_large",
            "bundle: is larger than \(bundleLimit) bytes, the limit: raise limits.bundle")
    }

    private static func readable(_ error: any Error) -> any Error {
        guard let error = error as? MultipartReader.Malformed else { return error }
        return RequestError.badRequest("malformed", "form: \(error): send multipart/form-data")
    }
}
