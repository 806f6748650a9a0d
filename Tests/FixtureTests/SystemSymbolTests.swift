import CallStacks
import Foundation
import LogExtraction
import ReportFormats
import SymbolStores
import Symbolication
import TestSupport
import Testing

/// Reports of every format, symbolicated with and without symbols for all images of the system.
@Suite("Symbols of the system in the fixtures")
struct SystemSymbolTests {
    private static let folders = [
        "Fixtures/Diagnostics", "Fixtures/Stacks", "Tests/ReportFormatsTests/Goldens",
    ]
    private static let files = folders.flatMap { folder in
        let path = projectFolder.appendingPathComponent(folder).path
        let paths = FileManager.default.subpaths(atPath: path) ?? []
        return paths.sorted().filter(isReport).map { "\(folder)/\($0)" }
    }

    private static func isReport(_ path: String) -> Bool {
        ["json", "ips", "crash", "txt"].contains { path.hasSuffix(".\($0)") }
            && !path.hasSuffix(".expected.json")
    }

    private static func reports(in file: String) throws -> [CrashReport] {
        let url = projectFolder.appendingPathComponent(file)
        return CrashFileReader().read([UInt8](try Data(contentsOf: url))).reports
    }

    @Test("there are reports of most formats")
    func formats() throws {
        let formats = try Self.files.flatMap { try Self.reports(in: $0).map(\.format) }
        #expect(formats.count > 200)
        #expect(Set(formats).count >= 10)
    }

    @Test(
        "change neither the app's frames nor culprit and fingerprint, with and without the app's",
        arguments: files)
    func unchanged(file: String) async throws {
        for report in try Self.reports(in: file) {
            let received = report.resolved(
                architectureOf: FixtureTests.symbols.architecture(of:))
            let system = await systemImages(of: received)
            for app in [FixtureTests.symbols, nil] {
                let without = await symbolicated(received, FixtureSymbols(app: app))
                let named = await symbolicated(received, FixtureSymbols(app: app, system: system))
                #expect(named.physicalAppFrames == without.physicalAppFrames)
                #expect(named.culprit == without.culprit)
                #expect(named.fingerprint == without.fingerprint)
            }
        }
    }

    /// The images that are not the app's.
    private func systemImages(of received: Diagnostic) async -> Set<ImageID> {
        let raw = await symbolicated(received, FixtureSymbols())
        let frames = received.tree.frames
        let app = raw.physicalAppFrames.compactMap { frames[$0].image }
        return Set(frames.compactMap(\.image)).subtracting(app)
    }

    private func symbolicated(
        _ received: Diagnostic, _ symbols: FixtureSymbols
    ) async -> SymbolicatedDiagnostic {
        await Symbolicator(provider: symbols).symbolicate(received)
    }
}

/// The symbols of the sample apps, and a function with a line at each offset of some images.
private struct FixtureSymbols: SymbolProvider {
    var app: LocalSymbolProvider?
    var system: Set<ImageID> = []

    func symbols(for image: ImageID) async -> SymbolSupply {
        await app?.symbols(for: image) ?? .missing
    }

    func symbols(for image: ImageID, at offsets: [ImageOffset]) async -> SymbolSupply {
        guard system.contains(image) else { return await symbols(for: image) }
        let function = ResolvedFunction(
            status: .symbolicated, name: 0, file: 0, line: 1, column: 0, isApproximate: false,
            isInlined: false, isInSourceFile: true)
        var results: [ImageOffset: OffsetLookupResult] = [:]
        for offset in offsets {
            results[offset] = OffsetLookupResult(
                image, offset, .symbolicated, functions: [function], functionStart: ImageOffset(0))
        }
        return .remote(
            RemoteLookupResults(
                architecture: .arm64, isSymbolTableOnly: false, names: ["_assertionFailure"],
                files: [SourceFile(folder: "/src", name: "Assert.swift")], results: results))
    }
}

extension SymbolicatedDiagnostic {
    fileprivate var physicalAppFrames: Set<Int> {
        Set(frames.lazy.filter(\.isInApp).map(\.physical))
    }
}
