import CallStacks
import HTTPTypes
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
    let admission: UploadAdmission

    func addRoutes(to routes: RouterGroup<CallerContext>) {
        routes.post("/v1/symbols", use: upload)
    }

    /// Uploads may take as long as they like, as long as they never pause.
    @Sendable static func isUpload(_ head: HTTPRequest) -> Bool {
        head.method == .post && head.path?.prefix { $0 != "?" } == "/v1/symbols"
    }

    @Sendable private func upload(
        _ request: Request, _ context: CallerContext
    ) async throws -> Response {
        var form = UploadForm(request.uri.queryParameters)
        try form.bind(to: context.caller)
        let share = try admission.enter()
        defer { admission.leave(share) }
        let files = try await files(of: request, &form, share)
        defer { for file in files { folders.remove(file.path) } }
        try form.bind(to: context.caller)
        let terms = UploadTerms(
            owner: SymbolOwner(app: context.caller.app ?? form.app), build: try form.build,
            replaces: try form.replaces)
        var answers: [IntakeAnswer] = []
        for file in files {
            answers += try await intake.take(fileAt: file.path, named: file.name, on: terms)
        }
        return try .json(Uploaded(files: answers.map(UploadedFile.init)), status: .created)
    }

    private func files(
        of request: Request, _ form: inout UploadForm, _ share: UploadAdmission.Share
    ) async throws -> [ReceivedFile] {
        let receiving = UploadReceiving(
            intake: intake, folders: folders, bundleLimit: bundleLimit,
            takeRoom: { try admission.take($0, for: share) })
        let type = request.headers[.contentType] ?? ""
        guard type.lowercased().hasPrefix("multipart/form-data") else {
            // What is said wrongly is refused before gigabytes are read.
            _ = try form.build
            _ = try form.replaces
            return try await receiving.file(of: request, named: form.fileName)
        }
        let boundary = HeaderParameters(type).first { $0.0 == "boundary" }?.1 ?? ""
        return try await receiving.parts(of: request, boundary: boundary, &form)
    }

    private struct Uploaded: Encodable { let files: [UploadedFile] }

    private struct UploadedFile: Encodable {
        @Null var uuid: String?
        @Null var arch: String?
        let name: String
        @Null var kind: String?
        @Null var quality: String?
        let status: String
        @Null var reason: String?

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
    private var replacement: String?

    init(_ parameters: FlatDictionary<Substring, Substring>) {
        app = parameters.text("app")
        version = parameters.text("version")
        buildNumber = parameters.text("build")
        fileName = parameters.text("name") ?? "upload"
        replacement = parameters.text("replace")
    }

    /// A token that is for one app names that app, wherever a build is named.
    mutating func bind(to caller: Caller) throws {
        let named = try caller.app(asked: app)
        if app != nil || version != nil || buildNumber != nil { app = named }
    }

    /// Takes a field of a form.
    mutating func set(_ name: String, to value: String) {
        switch name {
        case "app": app = value.isEmpty ? nil : value
        case "version": version = value.isEmpty ? nil : value
        case "build": buildNumber = value.isEmpty ? nil : value
        case "replace": replacement = value.isEmpty ? nil : value
        default: break
        }
    }

    /// Whether the files take the place of the owner's own of the same images even if they are no
    /// better.
    var replaces: Bool {
        get throws {
            guard let replacement else { return false }
            guard let replaces = Bool(replacement) else {
                throw RequestError.badRequest(
                    "bad_replace", "replace: '\(replacement)' is not known: give true or false")
            }
            return replaces
        }
    }

    /// The build that the files belong to; `nil` where nothing names one.
    ///
    /// - Throws: Where only a part of it is named.
    var build: Build? {
        get throws {
            if app == nil, version == nil, buildNumber == nil { return nil }
            guard let app, let version, let buildNumber else {
                throw RequestError.badRequest(
                    "incomplete_build",
                    "query: names a build only in part: give app, version and build, or none")
            }
            return Build(app: app, version: version, build: buildNumber)
        }
    }
}
