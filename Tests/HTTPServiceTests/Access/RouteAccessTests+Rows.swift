import CallStacks
import DebugFiles
import EmbeddedDatabase
import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2
import HTTPTypes
import Hummingbird
import Ingest
import OTLP
import SymbolIntake
import TestSupport
import Testing

@testable import HTTPService

/// The rows of other tools' protocols, dead letters and pages.
extension RouteAccessTests {
    static var debuginfodRows: [Row] {
        let program = identity(OwnedApps.elfProgram)
        func row(
            _ rest: String, _ path: String, of image: String? = nil, success: Int = 200
        ) -> Row {
            let path = "/buildid/\(image ?? program)/\(path)"
            var row = read("/buildid/:id/\(rest)", path, [.unknown(at(path))])
            row.success = success
            row.hasOwnErrors = true
            return row
        }
        var metadata = read(
            "/metadata", "/metadata?key=glob&value=*",
            [.unknown(at("/metadata?key=glob&value=*"))])
        metadata.hasOwnErrors = true
        return [
            row("debuginfo", "debuginfo", of: OwnedApps.elfDebugImage),
            row("executable", "executable"),
            row("section/:name", "section/.text"), row("source/**", "source/a.c", success: 404),
            metadata,
        ]
    }

    static var mozillaRows: [Row] {
        let id = OwnedApps.image.filter { $0 != "-" } + "0"
        let job = Call(
            path: "",
            body: Array(#"{"memoryMap": [["Orchard", "\#(id)"]], "stacks": [[[0, 16439]]]}"#.utf8))
        let file = "/Orchard/\(id)/Orchard.sym"
        var rows = [read("/:name/:id/:file", file, [.unknown(at(file))])]
        for version in ["v4", "v5"] {
            let path = "/symbolicate/\(version)"
            rows.append(
                Row(route: "OPTIONS \(path)", scopes: [], own: at(path), success: 204))
            rows.append(
                Row(
                    route: "POST \(path)", scopes: [.read], own: at(path, job),
                    foreign: [.unknown(at(path, job))]))
        }
        for number in rows.indices { rows[number].hasOwnErrors = true }
        return rows
    }

    static func symbolicatorRows() throws -> [Row] {
        let id = OwnedApps.image.lowercased()
        let list = Call(
            path: "",
            body: Array(
                """
                {"modules": [{"type": "macho", "debug_id": "\(id)", "image_addr": 0}],
                 "stacktraces": [{"frames": [{"instruction_addr": 16439}]}]}
                """.utf8))
        let report = Call(
            path: "",
            body: UploadTests.form([
                ("name=apple_crash_report", try fixture("divide-by-zero.report.ips"))
            ]), headers: UploadTests.multipart)
        var rows = [
            Row(route: "GET /healthcheck", scopes: [], own: at("/healthcheck")),
            Row(
                route: "GET /requests/:id", scopes: [.ingest, .read], own: at("/requests/none"),
                success: 404, foreign: [.unknown(at("/requests/none"))]),
        ]
        for (path, call) in [("/symbolicate", list), ("/applecrashreport", report)] {
            rows.append(
                Row(
                    route: "POST \(path)", scopes: [.ingest, .read], own: at(path, call),
                    foreign: [
                        .unknown(at(path, call)), .refused(at("\(path)?scope=\(other)", call)),
                    ]))
        }
        let file = "/debug-files/_.debug/elf-buildid-sym-\(OwnedApps.elfDebugImage)/_.debug"
        let search = "/sentry-source?code_id=\(OwnedApps.elfDebugImage)"
        rows.append(read("/debug-files/**", file, [.unknown(at(file))]))
        rows.append(read("/sentry-source", search, [.unknown(at(search))]))
        for number in rows.indices { rows[number].hasOwnErrors = true }
        return rows
    }

    static var deadLetterRows: [Row] {
        [
            Row(
                route: "GET /v1/dead-letters", scopes: [.read], refusesBoundTokens: true,
                own: at("/v1/dead-letters")),
            Row(
                route: "POST /v1/dead-letters/resend", scopes: [.ingest, .read],
                needsAllScopes: true, refusesBoundTokens: true,
                own: at("/v1/dead-letters/resend", Call(path: ""))),
            Row(
                route: "GET /v1/nodes", scopes: [.read], refusesBoundTokens: true,
                own: at("/v1/nodes")),
        ]
    }

    /// The pages as a program gets them: with JSON instead of redirects and error pages.
    static let script = ["accept": "application/json"]

    static func page(_ route: String, _ own: String, _ foreign: [Foreign] = []) -> Row {
        Row(
            route: "GET \(route)", scopes: [.read],
            own: Call(path: own, headers: script),
            foreign: foreign)
    }

    static func pageRows() throws -> [Row] {
        let crash = try fixture(OwnedApps.crash)
        let id = try OwnedApps.diagnosticID(of: crash, from: other)
        let ownID = try OwnedApps.diagnosticID(of: crash, from: mine)
        let asset = "/assets/\(PageAssetFiles().version)/pages.js"
        let signIn = Call(
            path: "", body: Array("token=\(Token.all[0].name)".utf8), headers: script)
        let form = Call(path: "", body: [], headers: script)
        return [
            Row(route: "GET /assets/:version/:name", scopes: [], own: at(asset)),
            Row(route: "GET /keys", scopes: [], own: at("/keys")),
            Row(route: "GET /sign-in", scopes: [], own: at("/sign-in")),
            Row(route: "POST /sign-in", scopes: [], own: at("/sign-in", signIn)),
            Row(route: "POST /sign-out", scopes: [], own: at("/sign-out", form)),
            Row(route: "POST /view", scopes: [], own: at("/view", form)),
            page("/d/:id", "/d/\(ownID)", [.unknown(at("/d/\(id)"))]),
            page(
                "/missing", "/missing",
                [
                    .refused(Call(path: "/missing?app=\(other)", headers: script)),
                    .unknown(at("/missing")),
                ]),
            page(
                "/images/:uuid", "/images/\(OwnedApps.image)",
                [.unknown(at("/images/\(OwnedApps.image)"))]),
        ] + listPageRows() + dropRows
    }

    static func listPageRows() -> [Row] {
        let deletion = Call(path: "", body: [], headers: script)
        func foreign(_ path: String) -> [Foreign] {
            [
                .refused(Call(path: "\(path)?app=\(other)", headers: script)),
                .unknown(Call(path: path, headers: script)),
            ]
        }
        let build = "/builds/\(mine)/1.4.0/217"
        let foreignBuild = "/builds/\(other)/1.4.0/217"
        return [
            page("/", "/", foreign("/")),
            Row(
                route: "GET /g/:fingerprint", scopes: [.read],
                own: Call(path: "/g/none", headers: script), success: 404),
            page("/search", "/search?q=a", [.unknown(Call(path: "/search?q=a", headers: script))]),
            page("/versions", "/versions", foreign("/versions")),
            page("/flame", "/flame", foreign("/flame")),
            page("/builds", "/builds", foreign("/builds")),
            page(
                "/builds/:app/:version/:build", build,
                [.refused(Call(path: foreignBuild, headers: script))]),
            Row(
                route: "GET /builds/:app/:version/:build/delete", scopes: [.upload],
                own: Call(path: "\(build)/delete", headers: script),
                foreign: [.refused(Call(path: "\(foreignBuild)/delete", headers: script))]),
            Row(
                route: "POST /builds/:app/:version/:build/delete", scopes: [.upload],
                own: at("\(build)/delete", deletion),
                foreign: [.refused(at("\(foreignBuild)/delete", deletion))]),
            page("/health", "/health", [.unknown(Call(path: "/health", headers: script))]),
            Row(
                route: "GET /health/dead-letters/:id", scopes: [.read], refusesBoundTokens: true,
                own: Call(path: "/health/dead-letters/0", headers: script), success: 404),
            Row(
                route: "POST /health/resend", scopes: [.ingest, .read], needsAllScopes: true,
                refusesBoundTokens: true, own: at("/health/resend", deletion)),
        ]
    }

    static var dropRows: [Row] {
        let form = Call(
            path: "", body: Array("--b--\r\n".utf8),
            headers: script.merging(["content-type": "multipart/form-data; boundary=b"]) { $1 })
        let question = Call(path: "", body: Array("{\"bytes\": 1}".utf8), headers: script)
        return [
            Row(
                route: "GET /drop", scopes: Set(TokenScope.allCases),
                own: Call(path: "/drop", headers: script)),
            Row(route: "POST /drop", scopes: Set(TokenScope.allCases), own: at("/drop", form)),
            Row(
                route: "POST /drop/ask", scopes: Set(TokenScope.allCases),
                own: at("/drop/ask", question)),
            Row(
                route: "GET /r/:id", scopes: Set(TokenScope.allCases),
                own: Call(path: "/r/0", headers: script), success: 410),
            Row(
                route: "POST /r/:id/forget", scopes: Set(TokenScope.allCases),
                own: Call(path: "/r/0/forget", body: [], headers: script)),
        ]
    }
}
