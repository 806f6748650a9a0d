import CallStacks
import Foundation
import StackRendering
import TestSupport
import Testing

@testable import CrashFiles

@Suite("Reports as the text of an Apple crash report")
struct CrashFormTests {
    private static let reports = [
        "divide-by-zero.report.ips", "objc-block.report.ips", "async-resume.report.ips",
    ]

    private func answers(_ bytes: [UInt8]) async -> [SymbolicatedDiagnostic] {
        await OrchardSymbols.answers(CrashFileReader().read(bytes))
    }

    private func crashForm(of text: String) async throws -> String {
        try CrashForm(of: try #require(await answers(bytes(text)).first)).text
    }

    @Test("read as Apple writes them", arguments: reports)
    func golden(name: String) async throws {
        let answer = try #require(await answers(try OrchardSymbols.fixture(name)).first)
        try expectGolden(try CrashForm(of: answer).text, name + ".crash")
    }

    @Test(
        "of an .ips say what the text says that the device kept of the same crash",
        arguments: reports)
    func sibling(name: String) async throws {
        let old = name.replacing(".report.ips", with: ".legacy.crash")
        let kept = await OrchardSymbols.written(try OrchardSymbols.fixture(old)).text
        let answer = try #require(await answers(try OrchardSymbols.fixture(name)).first)
        // What the old text has no line for.
        let more = ["Release Type:", "Terminating Process:", "Thread 0 name:"]
        let lines = Self.lines(try CrashForm(of: answer).text).filter { line in
            !more.contains { line.hasPrefix($0) }
        }
        #expect(lines == Self.lines(kept))
    }

    /// The lines that are not empty, with addresses without leading zeros.
    private static func lines(_ text: String) -> [String] {
        text.replacing(/\t0x0+/) { _ in "\t0x" }.replacing(/\t +/) { _ in "\t" }
            .split(separator: "\n").map(String.init)
    }

    @Test("hold the frames of every fixture when they are read again", arguments: fixtures)
    func again(name: String) async throws {
        let file = fixtureFolder.appendingPathComponent(name)
        for answer in await answers([UInt8](try Data(contentsOf: file))) {
            guard answer.form == .threads, !answer.kind.isSampled else {
                #expect(throws: CrashForm.Refusal.sampled) { try CrashForm(of: answer) }
                continue
            }
            guard answer.frames.contains(where: { $0.address != nil }) else {
                #expect(throws: CrashForm.Refusal.withoutAddresses) { try CrashForm(of: answer) }
                continue
            }
            let text = try CrashForm(of: answer).text
            let read = CrashFileReader().read(bytes(text))
            #expect(read.reports.map(\.format) == [.crashText])
            #expect(
                Place.all(in: try #require(await answers(bytes(text)).first))
                    == Place.all(in: answer))
        }
    }

    /// Where a row is, without what only some formats tell.
    private struct Place: Hashable {
        var role: StackRole
        var thread: Int
        var isAttributed: Bool
        var image: ImageID?
        var offset: ImageOffset?
        var function: String?
        var isInlined: Bool

        static func all(in answer: SymbolicatedDiagnostic) -> [Place] {
            let stacks = answer.stacks.sorted {
                ($0.role.rawValue, $0.index) < ($1.role.rawValue, $1.index)
            }
            return stacks.flatMap { stack in
                answer.frames[stack.frames].map {
                    Place(
                        role: stack.role, thread: stack.index, isAttributed: stack.isAttributed,
                        image: $0.image, offset: $0.offset, function: $0.function,
                        isInlined: $0.isInlined)
                }
            }
        }
    }
}

private let fixtureFolder = projectFolder.appendingPathComponent("Fixtures/Diagnostics")

/// All files with a diagnostic.
private let fixtures: [String] = {
    let paths = FileManager.default.subpaths(atPath: fixtureFolder.resolvingSymlinksInPath().path)
    return (paths ?? []).filter { path in
        [".json", ".ips", ".crash", ".txt"].contains { path.hasSuffix($0) }
            && !path.hasSuffix(".expected.json")
    }.sorted()
}()
