import CallStacks
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Problems
import SymbolIntake

/// Accepts symbol uploads, which are streamed to disk and then indexed.
struct UploadController {
    let intake: UploadIntake
    let receiver: UploadReceiver
    let limiter: UploadLimiter
    let catalogue: any Catalogue

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.post(RouterPath(Self.path), use: upload)
    }

    static let path = "/v1/symbols"

    @Sendable private func upload(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> Response {
        try request.requireParameters(
            among: "app", "version", "build", "commit", "name", "os", "os_build", "replace")
        var parameters = UploadParameters(request.queryParameters)
        try parameters.bind(to: context.caller)
        let reservation = try limiter.acquire()
        defer { limiter.release(reservation) }
        let files = try await files(
            of: request, from: context.caller, parameters: &parameters, reservation: reservation)
        defer { for file in files { receiver.folders.remove(file.path) } }
        try parameters.bind(to: context.caller)
        let options = try parameters.options(for: context.caller)
        var parts = [[IntakeResult]](repeating: [], count: files.count)
        // Split units are of use only once the file that refers to them is stored.
        for isSplit in [false, true] {
            for (number, file) in files.enumerated() where Self.hasSplitUnits(file) == isSplit {
                parts[number] = try await intake.process(
                    fileAt: file.path, named: file.name, options: options)
            }
        }
        var results = parts.flatMap(\.self)
        if files.count > 1 { results = try await updated(results, of: options.owner) }
        return try .json(Uploaded(files: results.map(UploadedFile.init)), status: .created)
    }

    /// Whether a part of a form has only split units, by its name.
    private static func hasSplitUnits(_ file: IncomingFile) -> Bool {
        [".dwo", ".dwp"].contains { file.name.hasSuffix($0) }
    }

    /// Returns the results of the parts of a form, which are processed one after another, as they are
    /// after the last one: a debug file lacks split units that are in a later part.
    private func updated(
        _ results: [IntakeResult], of owner: SymbolOwner
    ) async throws -> [IntakeResult] {
        var results = results
        for index in results.indices where results[index].status == .indexed {
            guard let image = results[index].image, let quality = results[index].quality
            else { continue }
            let file = try await catalogue.debugFiles(of: image).first {
                $0.owner == owner && $0.architecture == results[index].architecture
            }
            guard let file, file.quality > quality else { continue }
            results[index].quality = file.quality
            results[index].reason = file.warnings.first
        }
        return results
    }

    private func files(
        of request: Request, from caller: Caller, parameters: inout UploadParameters,
        reservation: UploadLimiter.Reservation
    ) async throws -> [IncomingFile] {
        let reserve: (Int) throws -> Void = { try limiter.add($0, to: reservation) }
        let type = request.headers[.contentType] ?? ""
        guard type.lowercased().hasPrefix("multipart/form-data") else {
            // Validated first, so that an invalid request is refused before gigabytes are read.
            _ = try parameters.options(for: caller)
            return try await receiver.file(
                of: request, named: parameters.fileName, reserve: reserve)
        }
        let files = try await receiver.parts(of: request, &parameters, reserve: reserve)
        guard !files.isEmpty else {
            throw RequestError.badRequest(
                "malformed",
                Problem(
                    "form", detail: "has no file", suggestion: "send one, as in curl -F file=@PATH")
            )
        }
        return files
    }

    private struct Uploaded: Encodable { let files: [UploadedFile] }

    private struct UploadedFile: Encodable {
        @ExplicitNull var uuid: String?
        @ExplicitNull var arch: String?
        let name: String
        @ExplicitNull var kind: String?
        @ExplicitNull var quality: String?
        let status: String
        @ExplicitNull var reason: String?

        init(_ result: IntakeResult) {
            uuid = result.image?.description
            arch = result.architecture
            name = result.name
            kind = result.kind
            quality = result.quality?.name
            status = result.status.rawValue
            reason = result.reason
        }
    }
}
