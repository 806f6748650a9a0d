import CallStacks
import Hummingbird
import HummingbirdCore
import NIOCore
import SymbolIntake

/// Symbol bundles of builds: streamed to disk, then indexed.
struct UploadController {
    let intake: BundleIntake
    let folders: DataFolders
    /// In bytes.
    let bundleLimit: Int64

    func addRoutes(to routes: RouterGroup<ServiceContext>) {
        routes.post("/v1/symbols", use: upload)
    }

    @Sendable private func upload(
        _ request: Request, _ context: ServiceContext
    ) async throws -> Response {
        var form = UploadForm(request.uri.queryParameters)
        form.app = try context.caller.app(asked: form.app)
        let receiving = UploadReceiving(folders: folders, bundleLimit: bundleLimit)
        let files: [ReceivedFile]
        if let boundary = Self.boundary(of: request) {
            files = try await receiving.parts(of: request.body, boundary: boundary, &form)
            form.app = try context.caller.app(asked: form.app)
        } else {
            files = [try await receiving.file(request.body, named: form.fileName)]
        }
        var answers: [IntakeAnswer] = []
        for file in files {
            answers += try await intake.take(
                fileAt: file.path, named: file.name, build: form.build)
        }
        return try .json(Uploaded(files: answers.map(UploadedFile.init)), status: .created)
    }

    private static func boundary(of request: Request) -> String? {
        guard let type = request.headers[.contentType],
            type.lowercased().hasPrefix("multipart/form-data"),
            let parameter = type.firstRange(of: "boundary=")
        else { return nil }
        let rest = type[parameter.upperBound...].prefix { $0 != ";" }
        return rest.trimmingPrefix("\"").split(separator: "\"").first.map(String.init)
    }

    private struct Uploaded: Encodable { let files: [UploadedFile] }

    private struct UploadedFile: Encodable {
        let uuid: String?
        let arch: String?
        let name: String
        let kind: String?
        let quality: String?
        let status: String
        let reason: String?

        init(_ answer: IntakeAnswer) {
            uuid = answer.image?.description
            arch = answer.architecture
            name = answer.name
            kind = answer.kind
            quality = answer.quality?.name
            status = answer.status.rawValue
            reason = answer.reason
        }
    }
}

/// What an upload says of itself, in the query or in fields of a form.
struct UploadForm {
    var app: String?
    var version: String?
    var buildNumber: String?
    var fileName: String

    init(_ parameters: FlatDictionary<Substring, Substring>) {
        app = parameters.text("app")
        version = parameters.text("version")
        buildNumber = parameters.text("build")
        fileName = parameters.text("name") ?? "upload"
    }

    /// Takes a field of a form.
    mutating func set(_ name: String, to value: String) {
        switch name {
        case "app": app = value
        case "version": version = value
        case "build": buildNumber = value
        default: break
        }
    }

    /// The build that the files belong to; `nil` where nothing names one.
    ///
    /// - Throws: Where only a part of it is named.
    var build: Build? {
        get throws {
            if app == nil, version == nil, buildNumber == nil { return nil }
            guard let app, let version, let buildNumber else {
                throw ServiceError.badRequest(
                    "incomplete_build",
                    "query: names a build only in part: give app, version and build, or none")
            }
            return Build(app: app, version: version, build: buildNumber)
        }
    }
}
