import CallStacks
import ContractServer
import Foundation
import TestSupport
import Testing

/// Every error of the command line, on one page: `Goldens/errors.txt`.
@Suite("Errors of the command line", .ownThreads)
struct ErrorTextTests {
    /// The command lines, a page of them for each command. `CRASH`, `KIT` and so on are fixtures.
    static let pages: [(title: String, lines: [String])] = [
        (
            "symbolist",
            [
                "symbolise crash.json", "symbolize crash.json", "symbols lst --server SERVER",
                "--bogus",
            ]
        ),
        (
            "symbolicate: usage",
            [
                "symbolicate --bogus", "symbolicate --format xml x", "symbolicate --symbols '' x",
                "symbolicate --redact all x", "symbolicate --color red x",
                "symbolicate --uuid Orchard x", "symbolicate --wait x",
                "symbolicate --server http://127.0.0.1:1 --wait=-1 x",
                "symbolicate --server nonsense CRASH", "symbolicate --server ftp://a CRASH",
                "symbolicate --server http://user:secret@a CRASH",
                "symbolicate CRASH CRASH --format same",
                "symbolicate CRASH REPORT --format same",
            ]
        ),
        (
            "symbolicate: reports",
            [
                "symbolicate missing.ips", "symbolicate empty", "symbolicate notes.txt",
                "symbolicate other.json", "symbolicate cut.json", "symbolicate range.json",
                "symbolicate folder", "symbolicate empty.zip", "symbolicate cut.zip",
                "symbolicate cut.gz", "symbolicate HANG --format crash",
                "symbolicate CRASH --uuid Nothing=KIT_ID",
            ]
        ),
        (
            "symbolicate: symbols",
            [
                "symbolicate CRASH --quiet --symbols missing",
                "symbolicate CRASH --quiet --symbols notes.txt",
                "symbolicate CRASH --quiet --symbols empty",
                "symbolicate CRASH --quiet --symbols cut.dSYM",
                "symbolicate CRASH --quiet --symbols empty.zip",
                "symbolicate CRASH --quiet --symbols folder",
                "symbolicate CRASH --quiet --symbols /dev/null",
                "symbolicate CRASH --symbols SYMBOLS --source-root notes.txt",
                "symbolicate CRASH --symbols folder",
                "symbolicate CRASH --symbols folder --strict",
            ]
        ),
        (
            "symbolicate: output",
            [
                "symbolicate CRASH --symbols SYMBOLS -o missing/answer",
                "symbolicate CRASH REPORT --symbols SYMBOLS -o notes.txt",
                "symbolicate - --symbols SYMBOLS -o folder/ < crash.json",
                "symbolicate CRASH a/crash.json crash.json --symbols SYMBOLS -o out",
                "symbolicate two.zip --format same --symbols SYMBOLS",
                "symbolicate CRASH --symbols SYMBOLS -o /dev/full",
            ]
        ),
        (
            "lookup",
            [
                "lookup no-uuid 1", "lookup KIT_ID", "lookup KIT_ID 12x", "lookup KIT_ID -1",
                "lookup KIT_ID 18446744073709551616", "lookup KIT_ID --bogus",
                "lookup KIT_ID 1 --symbols folder", "lookup KIT_ID 1 --symbols missing",
                "lookup --symbols SYMBOLS < notes.txt",
            ]
        ),
        (
            "atos",
            [
                "atos 1", "atos -p 1 1", "atos -o KIT -l 1 -s 1 1", "atos -o KIT -l xyz 1",
                "atos -o missing 1", "atos -o notes.txt 1", "atos -o folder 1",
                "atos -o KIT_ID 1", "atos -o UNIVERSAL -arch x 0x1",
                "atos -o KIT -f missing", "atos -o SYMBOLS 1",
            ]
        ),
        (
            "inspect",
            [
                "inspect", "inspect missing", "inspect notes.txt", "inspect folder",
                "inspect --uuid --json KIT", "inspect --uuid CRASH",
                "inspect KIT --symbols SYMBOLS",
                "inspect cut.dSYM", "inspect KIT --for notes.txt",
            ]
        ),
        (
            "convert",
            [
                "convert", "convert missing", "convert notes.txt", "convert --to xml CRASH",
                "convert folder",
            ]
        ),
        (
            "index",
            [
                "index", "index KIT", "index missing -o out", "index notes.txt -o out",
                "index UNIVERSAL -o out", "index UNIVERSAL -o out --arch arm46",
                "index KIT -o missing/out", "index KIT -o folder", "index KIT -o out --threads 0",
                "index dump missing", "index dump notes.txt", "index dump UNIVERSAL",
            ]
        ),
        ("completions", ["completions", "completions powershell"]),
        (
            "serve",
            [
                "serve --bogus", "serve --config missing.yaml", "serve --config notes.txt",
                "serve --config wrong.yaml", "serve --set hold", "serve --set nothing=1",
                "serve --set hold=5", "serve --set http.port=99999", "serve --http :x",
                "serve --export ftp://a", "serve --export file:",
                "serve --set export[].type=file", "serve --set export[99].type=file",
                "serve --http 0.0.0.0:0 --grpc 127.0.0.1:0",
                "serve --data notes.txt --http :0 --grpc :0",
                "serve --data data --http :0 --grpc :0 --set tls.key=KIT",
            ]
        ),
        (
            "upload: usage",
            [
                "upload", "upload KIT --server http://127.0.0.1:1",
                "upload KIT BUILD", "upload KIT BUILD --server x",
                "upload KIT BUILD --server http://a/?x=1", "upload KIT BUILD --jobs 0",
                "upload KIT BUILD --retries -1", "upload KIT BUILD --timeout 0",
                "upload KIT BUILD --wait=-1", "upload KIT BUILD --require zz",
                "upload '' BUILD", "upload KIT BUILD --server SERVER --token 'a b'",
                "upload KIT BUILD --server SERVER TOKEN_FILE=missing",
            ]
        ),
        (
            "upload",
            [
                "upload - BUILD --server SERVER", "upload --system folder --server SERVER",
                "upload missing BUILD --server SERVER", "upload folder BUILD --server SERVER",
                "upload notes.txt BUILD --server SERVER", "upload cut.dSYM BUILD --server SERVER",
                "upload KIT BUILD --server SERVER --require 00000000-0000-0000-0000-000000000001",
                "upload KIT BUILD --server http://127.0.0.1:1 --retries 0",
                "upload KIT BUILD --server http://host.invalid --retries 0",
                "upload KIT BUILD --server https://SERVER_ADDRESS --retries 0",
                "upload KIT BUILD --server SERVER CERTIFICATES=notes.txt",
            ]
        ),
        (
            "symbols",
            [
                "symbols list", "symbols list --server SERVER --uuid zz",
                "symbols missing --server SERVER --scope all",
                "symbols list --server http://127.0.0.1:1 --retries 0",
                "symbols prune --server SERVER", "symbols prune zz --server SERVER",
                "symbols prune --app a --keep -1 --server SERVER",
                "symbols replace --server SERVER",
            ]
        ),
        (
            "exporters",
            [
                "exporters list --data missing", "exporters list --data notes.txt",
                "exporters drop --data missing", "exporters drop a --data missing",
            ]
        ),
        (
            "health",
            [
                "health --server nonsense", "health --server http://127.0.0.1:1",
                "health --server http://host.invalid", "health --server https://SERVER_ADDRESS",
                "health --server SERVER",
            ]
        ),
        (
            "a server",
            [
                "lookup KIT_ID 1 --server http://127.0.0.1:1",
                "symbolicate CRASH --quiet --server http://127.0.0.1:1",
                "atos -o KIT_ID 1 --server http://127.0.0.1:1",
                "lookup KIT_ID 1 --server SERVER",
            ]
        ),
    ]

    /// Responses of a server that `upload` cannot use.
    static let responses: [(status: Int, message: String)] = [
        (301, ""), (400, "query: missing version"), (401, "unknown token"), (403, "wrong scope"),
        (404, ""), (413, "upload: 9 MiB, limit is 8 MiB"), (421, "host not accepted"),
        (500, ""), (503, "disk: nearly full"),
    ]

    @Test("are one readable line each, and all of them are on one page")
    func page() async throws {
        let workspace = try Workspace()
        try fill(workspace)
        let server = ContractServer()
        try await server.serve { url in
            var page = ""
            for (title, lines) in Self.pages {
                page += "== \(title)\n\n"
                for line in lines { page += try await entry(line, url, workspace) }
            }
            page += "== responses of a server\n\n"
            for (status, message) in Self.responses {
                server.change {
                    $0.scriptedResponses["/v1/symbols/missing"] = [.init(status, message: message)]
                }
                page += try await entry(
                    "upload KIT BUILD --retries 0 --server SERVER", url, workspace,
                    note: " (\(status))")
            }
            try expectGolden(page, "errors.txt")
        }
    }

    /// Returns the command as typed, its standard error, and its exit code.
    private func entry(
        _ line: String, _ url: String, _ workspace: Workspace, note: String = ""
    ) async throws -> String {
        var command = "symbolist \(line)"
        for (word, value) in Self.words { command = command.replacing(word, with: value) }
        command = command.replacing("SERVER_ADDRESS", with: url.dropFirst("http://".count))
        command = command.replacing("SERVER", with: url)
        if command.contains("TOKEN_FILE=") {
            command = command.replacing(" TOKEN_FILE=missing", with: "")
            command = "SYMBOLIST_TOKEN_FILE=missing \(command)"
        }
        if command.contains("CERTIFICATES=") {
            command = command.replacing(" CERTIFICATES=notes.txt", with: "")
            command = "SSL_CERT_FILE=notes.txt \(command)"
        }
        let shellLine = command.contains(" < ") ? command : "\(command) < /dev/null"
        let run = try await onOwnThread {
            try workspace.shell(
                shellLine, environment: ["SYMBOLIST_DATA": "data", "CI": "1"])
        }
        let port = url.split(separator: ":").last.map(String.init) ?? ""
        let problems = run.problems.map {
            $0.replacing(projectFolder.path + "/", with: "")
                .replacing(workspace.folder.path + "/", with: "")
                .replacing("127.0.0.1:\(port)", with: "SERVER")
        }
        #expect(!problems.isEmpty, "\(line)")
        return "$ symbolist \(line)\(note)\n" + problems.map { "\($0)\n" }.joined()
            + "→ \(run.status)\n\n"
    }

    private static let words: KeyValuePairs = [
        "KIT_ID": Orchard.kitID,
        "CRASH": "'\(Orchard.absolute(Orchard.crash))'",
        "REPORT": "'\(Orchard.absolute(Orchard.report))'",
        "HANG": "'\(Orchard.absolute(Orchard.hang))'",
        "SYMBOLS": "'\(Orchard.absolute(Orchard.symbols))'",
        "UNIVERSAL": "'\(Orchard.absolute(Orchard.universal))'",
        "KIT": "'\(Orchard.absolute(Orchard.kit))'",
        "BUILD": "--app a --version 1 --build 1",
    ]

    private func fill(_ workspace: Workspace) throws {
        let crash = try Orchard.bytes(Orchard.crash)
        try workspace.file("empty", Data())
        try workspace.file("notes.txt", text: "hello\n")
        try workspace.file("other.json", text: "{\"a\": 1}")
        try workspace.file("cut.json", crash.prefix(300))
        try workspace.file("crash.json", crash)
        try workspace.file("a/crash.json", crash)
        try workspace.file(
            "range.json",
            text: """
                {"callStackTree": {"callStackPerThread": true, "callStacks": [{"callStackRootFrames": \
                [{"binaryUUID": "\(Orchard.kitID)", "binaryName": "OrchardKit", "address": 1, \
                "offsetIntoBinaryTextSegment": 99999999999999999999999999}]}]}}
                """)
        try workspace.file("folder/notes.txt", text: "x")
        try workspace.file("empty.zip", Data(ZipBuilder().bytes()))
        try workspace.file("cut.zip", try Orchard.bytes(Orchard.archive).prefix(100))
        try workspace.file("cut.gz", Data([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1]))
        try workspace.file("cut.dSYM", try Orchard.bytes(Orchard.kitFile).prefix(3_000))
        try workspace.file("wrong.yaml", text: "http:\n  prot: 1\nhold: 5\n")
        try shell(
            "mkdir two; cp crash.json two/a.json; cp crash.json two/b.json; "
                + "cd two; zip -q ../two.zip a.json b.json", in: workspace.folder)
    }
}
