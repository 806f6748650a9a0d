import CallStacks
import DebugFiles
import EmbeddedDatabase
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2
import HTTPTypes
import Hummingbird
import Ingest
import JournalSupport
import OTLP
import SymbolIntake
import TestSupport
import Testing

@testable import HTTPService

/// Every route with every kind of token, for data of the token's own app and of another app.
@Suite("Access to routes", .ownThreads)
struct RouteAccessTests {
    static let mine = OwnedApps.mine
    static let other = OwnedApps.other

    /// A request.
    struct Call: Sendable {
        var path: String
        var body: [UInt8]? = nil
        var headers: [String: String] = [:]
    }

    /// The response to a token bound to one app for a request about another app's data.
    enum Foreign: Sendable {
        /// Refused because it names the other app, whether or not there is any data.
        case refused(Call)
        /// The response is the same as if there were no data.
        case unknown(Call)

        var call: Call {
            switch self {
            case .refused(let call), .unknown(let call): call
            }
        }
    }

    /// A route, its access rule, and its responses.
    struct Row: Sendable {
        /// `GET /v1/symbols/:uuid`, as the router has it.
        var route: String
        /// The required scopes, empty for a route that needs no token.
        var scopes: Set<TokenScope>
        var needsAllScopes = false
        var refusesBoundTokens = false
        /// Whether errors have the form of another protocol.
        var hasOwnErrors = false
        var own: Call
        var success = 200
        var foreign: [Foreign] = []

        var method: String { String(route.prefix { $0 != " " }) }

        func admits(_ token: Token) -> Bool {
            needsAllScopes
                ? token.scopes.isSuperset(of: scopes) : !token.scopes.isDisjoint(with: scopes)
        }
    }

    /// A token with some scopes, bound to an app or not.
    struct Token: Sendable {
        var scopes: Set<TokenScope>
        var app: String?

        var name: String {
            scopes.map(\.rawValue).sorted().joined(separator: "+") + "@" + (app ?? "all")
        }

        var headers: [String: String] { TokenTests.bearer(name) }

        /// Every combination of scopes, bound and not.
        static let all: [Token] = (1..<8).flatMap { bits in
            let scopes = TokenScope.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }
            return [nil, mine].map { Token(scopes: Set(scopes.map(\.element)), app: $0) }
        }
    }

    private static let tokens = Tokens(
        Token.all.map { .init(token: $0.name, scopes: $0.scopes, app: $0.app) }
            + [.init(token: "other", scopes: Set(TokenScope.allCases), app: other)])

    private static func table() throws -> [Row] {
        // Those of files come before the removal of files.
        let peers = try debuginfodRows + mozillaRows + symbolicatorRows()
        return try peers + sendingRows() + symbolRows() + sentryRows + readingRows()
            + deadLetterRows + pageRows()
    }

    static func at(_ path: String, _ call: Call = Call(path: "")) -> Call {
        Call(path: path, body: call.body, headers: call.headers)
    }

    static func read(_ route: String, _ own: String, _ foreign: [Foreign]) -> Row {
        Row(route: "GET \(route)", scopes: [.read], own: at(own), foreign: foreign)
    }

    /// A request that names the other app.
    static func named(_ path: String) -> [Foreign] {
        [.refused(at("\(path)?app=\(other)"))]
    }

    private static func sendingRows() throws -> [Row] {
        let empty = Call(path: "", body: Array("{}".utf8), headers: OTLPOverHTTPTests.json)
        let report = Call(path: "", body: try fixture(OwnedApps.crash))
        let offsets = Call(path: "", body: OwnedApps.offsets)
        return [
            Row(route: "GET /healthz", scopes: [], own: at("/healthz")),
            Row(route: "GET /upload.sh", scopes: [], own: at("/upload.sh")),
            Row(route: "GET /readyz", scopes: [], own: at("/readyz")),
            Row(route: "POST /v1/logs", scopes: [.ingest], own: at("/v1/logs", empty)),
            Row(route: "POST /v1/traces", scopes: [.ingest], own: at("/v1/traces", empty)),
            Row(route: "POST /v1/metrics", scopes: [.ingest], own: at("/v1/metrics", empty)),
            Row(
                route: "POST /v1/metrickit", scopes: [.ingest], own: at("/v1/metrickit", report),
                success: 202),
            Row(
                route: "POST /v1/symbolicate", scopes: [.ingest, .read],
                own: at("/v1/symbolicate", report),
                foreign: [
                    .unknown(at("/v1/symbolicate?format=text", report)),
                    .refused(at("/v1/symbolicate?app=\(other)", report)),
                ]),
            Row(
                route: "POST /v1/lookup", scopes: [.read], own: at("/v1/lookup", offsets),
                foreign: [
                    .unknown(at("/v1/lookup", offsets)),
                    .refused(at("/v1/lookup?app=\(other)", offsets)),
                ]),
        ]
    }

    private static func symbolRows() -> [Row] {
        let image = OwnedApps.image
        let (build, foreignBuild) = (OwnedApps.build(of: mine), OwnedApps.build(of: other))
        let question = Call(path: "", body: OwnedApps.question)
        let file = Call(path: "", body: library(1))
        return [
            Row(
                route: "POST /v1/symbols", scopes: [.upload],
                own: at("/v1/symbols?\(build)", file), success: 201,
                foreign: [.refused(at("/v1/symbols?\(foreignBuild)&replace=true", file))]),
            Row(
                route: "POST /v1/symbols/missing", scopes: [.upload],
                own: at("/v1/symbols/missing?\(build)", question),
                foreign: [
                    .unknown(at("/v1/symbols/missing", question)),
                    .refused(at("/v1/symbols/missing?\(foreignBuild)", question)),
                ]),
            Row(
                route: "DELETE /v1/symbols/:uuid", scopes: [.upload],
                own: at("/v1/symbols/\(identity(1))"),
                foreign: [
                    .unknown(at("/v1/symbols/\(image)")),
                    .refused(at("/v1/symbols/\(image)?app=\(other)")),
                ]),
            Row(
                route: "DELETE /v1/builds/:app/:version/:build", scopes: [.upload],
                own: at("/v1/builds/\(mine)/1.4.0/217"),
                foreign: [.refused(at("/v1/builds/\(other)/1.4.0/217"))]),
            Row(
                route: "DELETE /v1/systems/:build", scopes: [.upload], refusesBoundTokens: true,
                own: at("/v1/systems/22B83"), success: 404),
        ]
    }

    /// The chunks of a form belong to no app until they are assembled.
    private static var sentryRows: [Row] {
        let root = "/api/0"
        let chunks = Call(
            path: "", body: UploadTests.form([]), headers: UploadTests.multipart)
        let files = Call(path: "", body: Array("{}".utf8))
        let assemble = { (app: String) in
            at("\(root)/projects/acme/\(app)/files/difs/assemble/", files)
        }
        return [
            Row(route: "GET \(root)", scopes: [.upload], own: at("\(root)/")),
            Row(
                route: "GET \(root)/organizations/:organization/chunk-upload",
                scopes: [.upload], own: at("\(root)/organizations/acme/chunk-upload/")),
            Row(
                route: "POST \(root)/organizations/:organization/chunk-upload",
                scopes: [.upload], own: at("\(root)/organizations/acme/chunk-upload/", chunks)),
            Row(
                route: "POST \(root)/projects/:organization/:project/files/difs/assemble",
                scopes: [.upload], own: assemble(mine), foreign: [.refused(assemble(other))]),
        ]
    }

    private static func readingRows() throws -> [Row] {
        let image = OwnedApps.image
        let crash = try fixture(OwnedApps.crash)
        let id = try OwnedApps.diagnosticID(of: crash, from: other)
        let group = OwnedApps.crashGroup
        let ownID = try OwnedApps.diagnosticID(of: crash, from: mine)
        return [
            read(
                "/v1/symbols", "/v1/symbols?uuid=\(identity(1))",
                named("/v1/symbols") + [
                    .unknown(at("/v1/symbols?uuid=\(image)")),
                    .unknown(at("/v1/symbols?version=1.4.0&build=217")),
                ]),
            read(
                "/v1/symbols/:uuid", "/v1/symbols/\(identity(1))",
                [.unknown(at("/v1/symbols/\(image)"))]),
            read(
                "/v1/builds", "/v1/builds",
                named("/v1/builds") + [
                    .unknown(at("/v1/builds")), .unknown(at("/v1/builds?complete=false")),
                ]),
            Row(
                route: "GET /v1/systems", scopes: [.read], refusesBoundTokens: true,
                own: at("/v1/systems")),
            read(
                "/v1/missing", "/v1/missing",
                named("/v1/missing") + [.unknown(at("/v1/missing"))]),
            read(
                "/v1/diagnostics", "/v1/diagnostics",
                named("/v1/diagnostics") + [
                    .unknown(at("/v1/diagnostics")),
                    .unknown(at("/v1/diagnostics?before=\(id)")),
                ]),
            read(
                "/v1/diagnostics/:id", "/v1/diagnostics/\(ownID)",
                [.unknown(at("/v1/diagnostics/\(id)?format=text"))]),
            read(
                "/v1/groups", "/v1/groups",
                named("/v1/groups") + [
                    .unknown(at("/v1/groups")), .unknown(at("/v1/groups?q=share")),
                ]),
            read(
                "/v1/groups/:fingerprint", "/v1/groups/\(group)",
                named("/v1/groups/\(group)") + [.unknown(at("/v1/groups/\(group)"))]),
            read(
                "/v1/flame", "/v1/flame?app=\(mine)&version=1.4.0",
                [
                    .refused(at("/v1/flame?app=\(other)&version=1.4.0")),
                    .unknown(at("/v1/flame?fingerprint=\(group)")),
                ]),
            read("/v1/status", "/v1/status", [.unknown(at("/v1/status"))]),
            read("/metrics", "/metrics", []),
            read("/metrics/figures", "/metrics/figures", []),
            read(
                "/v1/metrics/versions", "/v1/metrics/versions",
                named("/v1/metrics/versions") + [.unknown(at("/v1/metrics/versions"))]),
            read(
                "/v1/metrics/regressions", "/v1/metrics/regressions",
                named("/v1/metrics/regressions") + [.unknown(at("/v1/metrics/regressions"))]),
        ]
    }

    private static func withService(
        _ use: @escaping @Sendable (RunningService) async throws -> Void
    ) async throws {
        try await RunningService.run {
            $0.tokens = tokens
        } use: {
            try await use($0)
        }
    }

    @Test("every route has a row in the access table, and every row has a route")
    func everyRoute() async throws {
        let parts = try await TestDependencies()
        let settings = ServerSettings(
            http: .init(host: "", port: 0), grpc: .init(host: "", port: 0), tokens: Tokens([]))
        let router = HTTPRoutes(
            dependencies: parts.server, settings: settings, memory: RequestMemoryBudget(settings)
        ).router(AllowedMethods())
        let routes = router.routes.filter { $0.method != .head }.map { route in
            let path = route.path.description.split(separator: "/").map { part in
                part.hasPrefix("{") ? ":\(part.dropFirst().dropLast())" : String(part)
            }
            return "\(route.method.rawValue) /\(path.joined(separator: "/"))"
        }
        #expect(Set(try Self.table().map(\.route)) == Set(routes))
        #expect(Set(routes).count == routes.count)
        try await parts.database.close()
    }

    @Test("without a token, or with an unknown one, only open routes respond")
    func withoutToken() async throws {
        try await Self.withService { service in
            for row in try Self.table() {
                for (headers, code) in [
                    ([String: String](), "token_missing"),
                    (TokenTests.bearer("no"), "token_unknown"),
                ] {
                    let answer = try await service.send(row, row.own, headers)
                    if row.scopes.isEmpty {
                        #expect(answer.status == row.success, "\(row.route)")
                    } else {
                        #expect(answer.status == 401, "\(row.route)")
                        if row.hasContractErrors, !row.hasOwnErrors {
                            try expectError(answer, 401, code)
                        }
                    }
                }
            }
        }
    }

    @Test("each token can use the routes of its scopes, for its own app")
    func ownThings() async throws {
        try await Self.withService { service in
            try await service.fill(for: Self.mine)
            for row in try Self.table() where !row.scopes.isEmpty {
                for token in Token.all {
                    // Restores what an earlier request removed.
                    try await service.fillCatalogue(for: Self.mine)
                    let answer = try await service.send(row, row.own, token.headers)
                    let what = "\(row.route) \(token.name): \(answer.text.prefix(200))"
                    if !row.admits(token) {
                        #expect(answer.status == 403, "\(what)")
                        #expect(answer.text.contains("does not have scope"), "\(what)")
                    } else if row.refusesBoundTokens, token.app != nil {
                        #expect(answer.status == 403, "\(what)")
                        #expect(answer.text.contains("wrong_app"), "\(what)")
                    } else {
                        #expect(answer.status == row.success, "\(what)")
                    }
                }
            }
        }
    }

    @Test("a bound token cannot distinguish data of another app from missing data, byte for byte")
    func foreignThings() async throws {
        try await Self.withService { service in
            let rows = try Self.table().filter { !$0.foreign.isEmpty }
            let bound = Token.all.filter { $0.app != nil }
            let before = try await service.answers(rows, bound)
            try await service.fill(for: Self.other)
            let after = try await service.answers(rows, bound)
            #expect(before == after)
            for (call, answer) in after { #expect(answer.isExpected, "\(call): \(answer)") }
            let files = try await service.database.debugFiles(DebugFileQuery())
            #expect(Set(files.map(\.owner)) == [.app(Self.other)], "nothing went, nothing came")
            #expect(try await service.database.builds(app: Self.other).count == 1)
        }
    }

    @Test("a token for all apps sees the data of every app")
    func allApps() async throws {
        try await Self.withService { service in
            try await service.fill(for: Self.other)
            for row in try Self.table() {
                for foreign in row.foreign {
                    for token in Token.all where token.app == nil && row.admits(token) {
                        try await service.fillCatalogue(for: Self.other)
                        let answer = try await service.send(row, foreign.call, token.headers)
                        #expect(
                            answer.status == row.success,
                            "\(row.route) \(token.name): \(answer.text.prefix(200))")
                    }
                }
            }
        }
    }

    @Test("every gRPC method requires the ingest scope")
    func gRPC() async throws {
        var router = RPCRouter<HTTP2ServerTransport.Posix>()
        let parts = try await TestDependencies()
        GRPCOTLPReceiver(
            gateway: parts.flow.gateway, tokens: Tokens([]), messageLimit: 1,
            memory: RequestMemoryBudget(limit: 1), logger: quietLogger
        )
        .registerMethods(with: &router)
        try await parts.database.close()
        let exports = [
            LogsService.Method.Export.descriptor, TraceService.Method.Export.descriptor,
            MetricsService.Method.Export.descriptor,
        ]
        #expect(Set(router.methods) == Set(exports))
        try await Self.withService { service in
            try await service.withCaller { caller in
                func outcome(of method: MethodDescriptor, with token: String?) async throws
                    -> RPCError.Code?
                {
                    let metadata: Metadata =
                        token.map { ["authorization": "Bearer \($0)"] } ?? [:]
                    switch try await caller.export([], to: method, metadata: metadata) {
                    case .success: return nil
                    case .failure(let error): return error.code
                    }
                }
                for method in exports {
                    for token in [nil, "no"] {
                        let code = try await outcome(of: method, with: token)
                        #expect(code == .unauthenticated)
                    }
                    for token in Token.all {
                        let code = try await outcome(of: method, with: token.name)
                        #expect(
                            code == (token.scopes.contains(.ingest) ? nil : .permissionDenied))
                    }
                }
            }
        }
    }
}

/// The relevant content of a response, and whether the table expects it.
private struct Seen: Hashable, CustomStringConvertible {
    var status: Int
    var body: [UInt8]
    var isExpected: Bool

    var description: String { "\(status) \(String(decoding: body.prefix(300), as: UTF8.self))" }
}

extension RouteAccessTests.Row {
    /// Whether errors have the form of the contract, and not that of another protocol.
    fileprivate var hasContractErrors: Bool {
        !OTLPController.paths.contains(own.path) && !SentryController.isOwn(own.path)
    }
}

extension RunningService {
    fileprivate func send(
        _ row: RouteAccessTests.Row, _ call: RouteAccessTests.Call, _ headers: [String: String]
    ) async throws -> Answer {
        try await send(
            row.method, call.path, call.headers.merging(headers) { $1 }, body: call.body)
    }

    /// The data of another app that tokens can see.
    fileprivate func answers(
        _ rows: [RouteAccessTests.Row], _ tokens: [RouteAccessTests.Token]
    ) async throws -> [String: Seen] {
        var answers: [String: Seen] = [:]
        for row in rows {
            for token in tokens where row.admits(token) {
                for foreign in row.foreign {
                    let answer = try await send(row, foreign.call, token.headers)
                    let isExpected =
                        switch foreign {
                        case .refused:
                            answer.status == 403
                                && (answer.text.contains("wrong_app")
                                    || SentryController.isOwn(row.own.path)
                                        && answer.text.contains("the token is for"))
                        case .unknown: answer.status == 200 || answer.status == 404
                        }
                    answers["\(token.name) \(row.method) \(foreign.call.path)"] = Seen(
                        status: answer.status, body: answer.body, isExpected: isExpected)
                }
            }
        }
        return answers
    }

    /// Stores a build, files, a waiting diagnostic, and metrics for an app.
    fileprivate func fill(for app: String) async throws {
        let headers = TokenTests.bearer(
            app == OwnedApps.other ? "other" : "ingest+read+upload@\(app)")
        let bundle = try projectFile(Orchard.dSYM)
        let uploaded = try await post(
            "/v1/symbols?\(OwnedApps.build(of: app))", bundle, headers)
        #expect(uploaded.status == 201)
        let image = [UInt8](repeating: OwnedApps.elfProgram, count: 20)
        for file in [program(buildID: image), try projectFile(OwnedApps.elfDebugFile)] {
            let uploaded = try await post(
                "/v1/symbols?\(OwnedApps.build(of: app))", file, headers)
            #expect(uploaded.status == 201)
        }
        try await fillCatalogue(for: app)
        var payloads = [try fixture(OwnedApps.crash)]
        for version in ["1.3.0", "1.4.0"] {
            let text = OrchardMetrics.day(
                version: version, firstDraw: [(300, 3)], end: "2026-10-20 23:00:00 +0000")
            payloads.append(Array(text.utf8))
        }
        for payload in payloads {
            #expect(try await post("/v1/metrickit", payload, headers).status == 202)
        }
        try await drain()
    }

    /// Stores a build with the image ``identity(_:)`` 1 and a file for it, in the catalogue only.
    fileprivate func fillCatalogue(for app: String) async throws {
        let build = Build(app: app, version: "1.4.0", build: "217")
        for uuid in [identity(1), OwnedApps.image] {
            let image = try #require(ImageID(uuid))
            try await database.add(
                [BuildImage(image: image, architecture: "arm64", name: "Image")], to: build,
                at: .now())
            _ = try await database.add(
                StoredDebugFile(
                    owner: .app(app), image: image, architecture: "arm64", name: "Image",
                    kind: "dsym", quality: .full, blob: String(repeating: "a", count: 64),
                    byteCount: 1, storedByteCount: 1, upload: .now()))
        }
    }
}
