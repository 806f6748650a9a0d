import Crypto
import EmbeddedDatabase
import Foundation
import TestSupport
import Testing

@testable import Ingest
@testable import HTTPService

/// Two apps of one service, each with a token per scope, and the same tokens for all apps.
enum OwnedApps {
    /// The app that the fixtures name.
    static let mine = "com.example.Orchard"
    static let other = "com.example.pear"
    static let image = "4C4C4481-5555-3144-A199-BFCEAE3FE729"
    static let crash = "divide-by-zero.crash.json"
    /// A debug file of Linux, its build ID, and the byte that the build ID of a program repeats.
    static let elfDebugFile = "Symbols/linux-cpp-gcc-dwarf4/press.debug"
    static let elfDebugImage = "a236dd256e2fe7ef0dee80f4ac6618644b5d503a"
    static let elfProgram: UInt8 = 2
    /// The fingerprint of the crash, symbolicated with the app's dSYM.
    static let crashGroup = "1:3493bf55c0a1b1904d36305d3c3c7fe6"
    /// A function of the crash, named only by the dSYM.
    static let function = "buttonTapped"

    static let tokens: Tokens = {
        var grants: [Tokens.Grant] = []
        for app in [mine, other, nil] {
            for scope in TokenScope.allCases {
                grants.append(.init(token: name(scope, app), scopes: [scope], app: app))
            }
        }
        return Tokens(grants)
    }()

    private static func name(_ scope: TokenScope, _ app: String?) -> String {
        app.map { "\(scope)@\($0)" } ?? "\(scope)"
    }

    /// The header of a token that is bound to an app, or to none.
    static func token(_ scope: TokenScope, of app: String?) -> [String: String] {
        TokenTests.bearer(name(scope, app))
    }

    static func build(of app: String) -> String { "app=\(app)&version=1.4.0&build=217" }

    /// The bodies for `POST /v1/symbols/missing` and `POST /v1/lookup`.
    static let question = Array(#"{"uuids": ["\#(image)"]}"#.utf8)
    static let offsets = Array(#"{"images": [{"uuid": "\#(image)", "offsets": [16439]}]}"#.utf8)

    /// A file with the identity and architecture of ``image``, in which one function spans all of
    /// the code.
    static func forged(_ function: String) -> [UInt8] {
        let digits = Array(image.filter { $0 != "-" })
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        var file = MachOBuilder.library()
        file.uuid = bytes
        file.segments[0].sections[0].size = 0xa000
        file.symbols = [.init("_\(function)", at: 0x1_0000_1010)]
        return file.bytes()
    }

    /// Returns the identifier of the first diagnostic in a payload sent by an app's token, without
    /// the final line break.
    static func diagnosticID(of payload: [UInt8], from app: String) throws -> String {
        let text = payload.last == UInt8(ascii: "\n") ? payload.dropLast() : payload[...]
        let digest = SHA256.hash(data: Array(app.utf8) + [0] + text)
        let key = try #require(EntryKey(bytes: Array(digest.prefix(EntryKey.length))))
        return RecordUID(key, position: 0).text
    }
}

extension RunningService {
    /// Runs a service with the tokens of ``OwnedApps``.
    static func withOwnedApps(
        _ use: @escaping @Sendable (RunningService) async throws -> Void
    ) async throws {
        try await run {
            $0.tokens = OwnedApps.tokens
        } use: {
            try await use($0)
        }
    }

    /// Uploads a file for an app, with a token that is bound to it.
    func upload(_ file: [UInt8], of app: String, query: String = "") async throws -> [String] {
        let answer = try await post(
            "/v1/symbols?\(OwnedApps.build(of: app))\(query)", file,
            OwnedApps.token(.upload, of: app))
        return try answer.list("files").compactMap { $0["status"] as? String }
    }

    /// Returns the function that a lookup finds in ``OwnedApps/image``, or its status.
    func lookup(_ headers: [String: String], query: String = "") async throws -> String {
        let answer = try await post("/v1/lookup\(query)", OwnedApps.offsets, headers)
        let image = try #require(try answer.list("images").first)
        let offset = (image["answers"] as? [[String: Any]])?.first
        let frame = (offset?["frames"] as? [[String: Any]])?.first
        return frame?["function"] as? String ?? image["status"] as? String ?? "?"
    }

    /// Returns the text of all exported records.
    func exported() async throws -> String {
        var text = ""
        var last: Int64 = 0
        while try await database.entry(last + 1) != nil {
            for entry in try await flow.worker.results(after: last, bytes: .max, for: "test") {
                last = entry.number
                text += entry.batches.map { String(decoding: $0.body, as: UTF8.self) }.joined()
            }
        }
        return text
    }
}
