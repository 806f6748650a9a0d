import CallStacks
import Foundation
import MetricKitPayloads
import SymbolStores
import Symbolication
import TestSupport
import Testing

/// Every frame of every diagnostic that the sample app really produced, in every form and build.
@Suite("Fixtures")
struct FixtureTests {
    static let fixtures: [Fixture] = {
        let folder = projectFolder.appendingPathComponent("Fixtures/Diagnostics")
        let paths = FileManager.default.subpaths(atPath: folder.path) ?? []
        return paths.filter { $0.hasSuffix(".expected.json") }.sorted().map { path in
            let name = String(path.dropLast(".expected.json".count))
            return Fixture(
                name: name, input: folder.appendingPathComponent(name + ".json"),
                expectation: folder.appendingPathComponent(path))
        }
    }()

    static let symbols = LocalSymbols(
        SymbolInventory(paths: [
            projectFolder.appendingPathComponent("Symbols").path, unpackedArchives.path,
        ]),
        cachedIn: nil)

    /// A folder with what the zip files of `Symbols` hold.
    private static let unpackedArchives: URL = {
        let symbols = projectFolder.appendingPathComponent("Symbols")
        let folder = projectFolder.appendingPathComponent(".build/unpacked-symbols")
        let paths = FileManager.default.subpaths(atPath: symbols.path) ?? []
        for path in paths where path.hasSuffix(".zip") {
            let unzip = Process()
            unzip.executableURL = URL(fileURLWithPath: "/usr/bin/unzip")
            unzip.arguments = ["-qo", symbols.appendingPathComponent(path).path, "-d", folder.path]
            try? unzip.run()
            unzip.waitUntilExit()
        }
        return folder
    }()

    @Test("there are fixtures, and all their debug files can be read")
    func presence() {
        #expect(Self.fixtures.count >= 100)
        #expect(Self.symbols.inventory.problems.isEmpty)
    }

    @Test("every frame is what the markers in the sources say", arguments: fixtures)
    func frames(fixture: Fixture) async throws {
        let expected = try JSONDecoder().decode(
            ExpectedFrames.self, from: Data(contentsOf: fixture.expectation))
        let payload = PayloadReader().read([UInt8](try Data(contentsOf: fixture.input)))
        #expect(payload.elements.flatMap(\.unread).isEmpty)
        let answers = await symbolicated(payload)
        #expect(!answers.isEmpty)
        for frame in expected.frames {
            let answer = try #require(answers.first { $0.name == frame.diagnostic ?? $0.name })
            try check(frame, in: answer)
        }
    }

    /// A diagnostic before and after, by the name that expectations have for it.
    private struct Answer {
        let name: String
        let received: Diagnostic
        let symbolicated: SymbolicatedDiagnostic
    }

    private func symbolicated(_ payload: Payload) async -> [Answer] {
        var counts: [DiagnosticKind: Int] = [:]
        var answers: [Answer] = []
        let symbolicator = Symbolicator(provider: Self.symbols)
        for received in payload.diagnostics {
            let number = counts[received.kind, default: 0]
            counts[received.kind] = number + 1
            let diagnostic = received.resolved(
                architectureOf: Self.symbols.architecture(of:))
            answers.append(
                Answer(
                    name: "\(received.kind.payloadKey)[\(number)]", received: diagnostic,
                    symbolicated: await symbolicator.symbolicate(diagnostic)))
        }
        return answers
    }

    private func check(_ expected: ExpectedFrames.Frame, in answer: Answer) throws {
        let stack = try #require(answer.received.tree.stacks.first { $0.index == expected.thread })
        let physical = stack.frames.lowerBound + expected.index
        let frame = answer.received.tree.frames[physical]
        let place = "thread \(expected.thread), frame \(expected.index) of \(expected.image)"
        #expect(frame.image == ImageID(expected.uuid), "\(place)")
        #expect(frame.site?.offset.rawValue == expected.offset, "\(place)")
        #expect(frame.site?.lookupOffset.rawValue == expected.lookup, "\(place)")
        let tree = answer.received.tree
        if tree.form == .sampled, !tree.remarks.contains(.branchesLost) {
            #expect(frame.samples == expected.samples, "\(place)")
        }
        let rows = answer.symbolicated.frames.filter { $0.physical == physical }
        let chain = answer.symbolicated.form == .sampled ? rows.reversed() : rows
        if expected.lost != nil { return }
        #expect(chain.count == expected.chain.count, "\(place): \(chain.map(\.function))")
        for (row, function) in zip(chain, expected.chain) { check(row, function, place) }
    }

    private func check(
        _ row: SymbolicatedFrame, _ expected: ExpectedFrames.Function, _ place: String
    ) {
        let name = row.function ?? "(none)"
        #expect(
            name == expected.function || name == "specialized \(expected.function)", "\(place)")
        #expect(row.isInlined == expected.inlined, "\(place): \(name)")
        guard let file = expected.file else {
            // Nobody wrote the code, or nobody kept its lines.
            #expect(row.line == 0 || row.isApproximate, "\(place): \(name)")
            return
        }
        #expect(row.status == .symbolicated, "\(place): \(name)")
        #expect(row.file?.name == file, "\(place): \(name)")
        #expect(row.file?.path == expected.path, "\(place): \(name)")
        #expect(row.line == expected.line, "\(place): \(name)")
    }
}

extension DiagnosticKind {
    /// The key of a payload's array of such diagnostics.
    fileprivate var payloadKey: String {
        switch self {
        case .crash, .memoryException, .unknown: "crashDiagnostics"
        case .hang: "hangDiagnostics"
        case .cpuException: "cpuExceptionDiagnostics"
        case .diskWriteException: "diskWriteExceptionDiagnostics"
        case .appLaunch: "appLaunchDiagnostics"
        }
    }
}
