import CallStacks
import Foundation
import LogExtraction
import MetricKitPayloads
import ReportFormats
import SymbolStores
import Symbolication
import TestSupport
import Testing

/// Every frame of every diagnostic that the sample app really produced, in every format and build.
@Suite("Fixtures")
struct FixtureTests {
    static let diagnostics = Fixture.all.filter { $0.input != nil }
    static let offsets = Fixture.all.filter { $0.input == nil && !$0.isCrashFile }
    static let crashFiles = Fixture.all.filter(\.isCrashFile)

    static let symbols = LocalSymbolProvider(
        SymbolInventory(paths: [
            projectFolder.appendingPathComponent("Symbols").path, unpackedArchives.path,
        ]),
        cachedIn: nil)

    /// Only the `.build-id` folders of `Symbols`.
    private static let trees: LocalSymbolProvider = {
        let symbols = projectFolder.appendingPathComponent("Symbols")
        let builds = (try? FileManager.default.contentsOfDirectory(atPath: symbols.path)) ?? []
        let trees = builds.map { symbols.appendingPathComponent("\($0)/.build-id").path }
        let paths = trees.filter { FileManager.default.fileExists(atPath: $0) }
        return LocalSymbolProvider(SymbolInventory(paths: paths), cachedIn: nil)
    }()

    /// A folder with the contents of the zip files in `Symbols`.
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
        #expect(Self.diagnostics.count >= 200)
        #expect(Self.offsets.count >= 20)
        #expect(Self.symbols.inventory.problems.isEmpty)
    }

    @Test("every frame matches the markers in the sources", arguments: diagnostics)
    func frames(fixture: Fixture) async throws {
        let input = try #require(fixture.input)
        let payload = PayloadReader().read([UInt8](try Data(contentsOf: input)))
        #expect(payload.elements.flatMap(\.unread).isEmpty)
        let answers = await symbolicated(payload)
        for frame in try fixture.expected() where frame.duplicate != true {
            let answer = try #require(answers.first { $0.name == frame.diagnostic ?? $0.name })
            try check(frame, in: answer)
        }
    }

    @Test("every frame of a crash file matches the markers", arguments: crashFiles)
    func crashFile(fixture: Fixture) async throws {
        let file = CrashFileReader().read([UInt8](try Data(contentsOf: fixture.crashFile)))
        #expect(file.unread.isEmpty)
        #expect(file.reports.count == 1)
        let received = try #require(file.reports.first).resolved()
        let answer = Answer(
            name: "crashDiagnostics[0]", received: received,
            symbolicated: await Symbolicator(provider: Self.symbols).symbolicate(received))
        for frame in try fixture.expected() where frame.duplicate != true {
            try check(frame, in: answer)
        }
    }

    @Test("every offset of a crash on Linux matches the markers", arguments: offsets)
    func lookups(fixture: Fixture) async throws {
        try await checkLookups(of: fixture, in: Self.symbols)
    }

    @Test(
        "trees of build ids alone have the same results", arguments: offsets.filter { !$0.isSplit })
    func trees(fixture: Fixture) async throws {
        try await checkLookups(of: fixture, in: Self.trees)
    }

    @Test(
        "symbols of all other images change neither the owner of a frame, nor culprit, key and status",
        arguments: diagnostics + crashFiles)
    func otherSymbols(fixture: Fixture) async throws {
        for received in try received(fixture) {
            let own = await Symbolicator(provider: Self.symbols).symbolicate(received)
            let all = await Symbolicator(provider: SymbolsOfAll(first: Self.symbols))
                .symbolicate(received)
            #expect(own.appFrames == all.appFrames)
            #expect(own.status == all.status)
            #expect(own.fingerprint == all.fingerprint)
            if own.culprit != nil { #expect(own.culprit == all.culprit) }
        }
    }

    private func received(_ fixture: Fixture) throws -> [Diagnostic] {
        guard let input = fixture.input else {
            let bytes = [UInt8](try Data(contentsOf: fixture.crashFile))
            return CrashFileReader().read(bytes).reports.map { $0.resolved() }
        }
        let payload = PayloadReader().read([UInt8](try Data(contentsOf: input)))
        return payload.diagnostics.map {
            $0.resolved(architectureOf: Self.symbols.architecture(of:))
        }
    }

    private func checkLookups(of fixture: Fixture, in symbols: LocalSymbolProvider) async throws {
        let expected = try fixture.expected()
        let frames = expected.map {
            CallFrame(
                image: ImageID($0.uuid), imageName: $0.image,
                site: .adjusted(ImageOffset($0.lookup)))
        }
        let stack = CallStack(index: 0, isAttributed: true, frames: frames.indices)
        let diagnostic = Diagnostic(
            kind: .crash, tree: CallStackTree(form: .threads, stacks: [stack], frames: frames))
        let answer = await Symbolicator(provider: symbols).symbolicate(diagnostic)
        for (physical, frame) in expected.enumerated() {
            let rows = answer.frames.filter { $0.physical == physical }
            checkChain(rows, frame, "frame \(frame.index) of \(frame.image)")
        }
    }

    /// A diagnostic before and after, by the name that expectations have for it.
    struct Answer {
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

    func check(_ expected: ExpectedFrames.Frame, in answer: Answer) throws {
        let stack = try #require(answer.received.tree.stacks.first { $0.index == expected.thread })
        let physical = stack.frames.lowerBound + expected.index
        try #require(answer.received.tree.frames.indices.contains(physical))
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
        checkChain(tree.form == .sampled ? rows.reversed() : rows, expected, place)
    }

    /// - Parameter rows: Innermost first.
    private func checkChain(
        _ rows: [SymbolicatedFrame], _ expected: ExpectedFrames.Frame, _ place: String
    ) {
        #expect(rows.count == expected.chain.count, "\(place): \(rows.map(\.function))")
        for (row, function) in zip(rows, expected.chain) {
            let candidates = [function] + (function.alternatives ?? [])
            let best = candidates.first { Self.isNamed(row.function, $0.function) } ?? function
            check(row, best, place)
        }
    }

    private func check(
        _ row: SymbolicatedFrame, _ expected: ExpectedFrames.Function, _ place: String
    ) {
        let name = row.function ?? "(none)"
        #expect(Self.isNamed(row.function, expected.function), "\(place): \(expected.function)")
        #expect(row.isInlined == expected.inlined, "\(place): \(name)")
        if expected.unmarked == true || expected.lost != nil { return }
        let isSymbolOnly = expected.symbolOnly == true
        #expect(row.status == (isSymbolOnly ? .symbolOnly : .symbolicated), "\(place): \(name)")
        if isSymbolOnly { return }
        #expect(row.file?.name == expected.file, "\(place): \(name)")
        #expect(row.file?.path == expected.path, "\(place): \(name)")
        #expect(row.line == expected.line, "\(place): \(name)")
    }

    /// Whether a name is the expected one, which may be specialised or a cold part.
    private static func isNamed(_ name: String?, _ expected: String) -> Bool {
        [expected, "specialized \(expected)", "\(expected) (.cold)"].contains(name)
    }
}

/// Symbols of the app, and for each offset of any other image a function with a line.
private struct SymbolsOfAll: SymbolProvider {
    let first: LocalSymbolProvider

    func symbols(for image: ImageID) async -> SymbolSupply { await first.symbols(for: image) }

    func symbols(for image: ImageID, at offsets: [ImageOffset]) async -> SymbolSupply {
        let own = await first.symbols(for: image)
        guard case .missing = own else { return own }
        let function = ResolvedFunction(
            status: .symbolicated, name: 0, file: 0, line: 1, column: 0, isApproximate: false,
            isInlined: false, isInSourceFile: true)
        let answers = offsets.map { offset in
            (
                offset,
                OffsetLookupResult(
                    image, offset, .symbolicated, functions: [function],
                    functionStart: ImageOffset(0))
            )
        }
        return .remote(
            RemoteLookupResults(
                architecture: .arm64, isSymbolTableOnly: false, names: ["_assertionFailure"],
                files: [SourceFile(folder: "/src", name: "Assert.swift")],
                results: Dictionary(answers) { first, _ in first }))
    }
}

extension SymbolicatedDiagnostic {
    /// The physical frames that are the app's.
    fileprivate var appFrames: Set<Int> {
        Set(frames.lazy.filter(\.isInApp).map(\.physical))
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
