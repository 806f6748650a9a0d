import CallStacks
import Foundation
import LogExtraction
import ReportFixtures
import ReportFormats
import StackRendering
import TestSupport
import Testing

@Suite("Reports as Apple crash text")
struct AppleCrashTextTests {
    private static let reports = [
        "divide-by-zero.report.ips", "objc-block.report.ips", "async-resume.report.ips",
    ]

    private func results(_ bytes: [UInt8]) async -> [SymbolicatedDiagnostic] {
        await OrchardSymbols.results(CrashFileReader().read(bytes))
    }

    private func crashForm(of text: String) async throws -> String {
        try AppleCrashText(of: try #require(await results(bytes(text)).first)).text
    }

    @Test(
        "crash text looks as Apple writes it, and stays the same when it is read and written again",
        arguments: reports)
    func golden(name: String) async throws {
        let result = try #require(await results(try OrchardSymbols.fixture(name)).first)
        let text = try AppleCrashText(of: result).text
        try expectGolden(text, name + ".crash")
        #expect(try await crashForm(of: text) == text)
    }

    @Test("macOS reports keep queues, versions and codes when they are read and written again")
    func mac() async throws {
        let text = """
            Process:               Orchard [4711]
            Code Type:             ARM-64 (Native)
            Responsible:           Terminal [1640]

            OS Version:            macOS 15.1 (24B83)
            Report Version:        12
            Anonymous UUID:        00000000-0000-0000-0000-000000000001

            System Integrity Protection: enabled

            Crashed Thread:        1  Dispatch queue: io.orchard

            Exception Type:        EXC_BAD_ACCESS (SIGSEGV)
            Exception Codes:       KERN_INVALID_ADDRESS at 0x0000000000000008
            Exception Codes:       0x0000000000000001, 0x0000000000000008

            Termination Reason:    Namespace SIGNAL, Code 11 Segmentation fault: 11

            Application Specific Information:
            Fatal error: rotten

            Thread 0::  Dispatch queue: com.apple.main-thread
            0   Orchard                       \t            0x1010 0x1000 + 16

            Thread 1 Crashed:: press  Dispatch queue: io.orchard
            0   Orchard                       \t            0x1020 peel (Peel.swift:8) [inlined]
            1   Orchard                       \t            0x1020 eat + 8 (Eat.swift:3)


            Binary Images:
                        0x1000 -             0x2fff Orchard (1.4.0 - 217) <4c4c4481-5555-3144-a199-bfceae3fe728> /a/Orchard

            """
        #expect(try await crashForm(of: text) == text)
    }

    @Test("systems named as before 2016 have the layout of macOS too")
    func oldMac() async throws {
        for system in ["OS X 10.11.6 (15G31)", "Mac OS X 10.7.5 (11G63)", "macOS 15.1 (24B83)"] {
            let text = """
                Process:               Orchard [4711]
                OS Version:            \(system)

                Thread 0 Crashed:
                0   Orchard                       \t            0x1010 0x1000 + 16

                """
            let form = try await crashForm(of: text)
            #expect(form.contains("Process:               Orchard [4711]\n"))
            #expect(form.contains("OS Version:            \(system)\n"))
        }
    }

    @Test(
        "crash text of an .ips matches the device's own text of the same crash",
        arguments: reports)
    func sibling(name: String) async throws {
        let old = name.replacing(".report.ips", with: ".legacy.crash")
        let kept = await OrchardSymbols.written(try OrchardSymbols.fixture(old)).text
        let result = try #require(await results(try OrchardSymbols.fixture(name)).first)
        // The old text has no line for these.
        let more = ["Release Type:", "Terminating Process:", "Thread 0 name:"]
        let lines = Self.lines(try AppleCrashText(of: result).text).filter { line in
            !more.contains { line.hasPrefix($0) }
        }
        #expect(lines == Self.lines(kept))
    }

    /// The lines that are not empty, with leading zeros removed from addresses.
    private static func lines(_ text: String) -> [String] {
        text.replacing(/\t0x0+/) { _ in "\t0x" }.replacing(/\t +/) { _ in "\t" }
            .split(separator: "\n").map(String.init)
    }

    @Test("crash text of every fixture has all frames when it is read again", arguments: fixtures)
    func again(name: String) async throws {
        let file = fixtureFolder.appendingPathComponent(name)
        for result in await results([UInt8](try Data(contentsOf: file))) {
            guard result.form == .threads, !result.kind.isSampled else {
                #expect(throws: AppleCrashText.Refusal.sampled) { try AppleCrashText(of: result) }
                continue
            }
            guard result.frames.contains(where: { $0.address != nil }) else {
                #expect(throws: AppleCrashText.Refusal.withoutAddresses) {
                    try AppleCrashText(of: result)
                }
                continue
            }
            let text = try AppleCrashText(of: result).text
            let read = CrashFileReader().read(bytes(text))
            #expect(read.reports.map(\.format) == [.crashText])
            #expect(
                Place.all(in: try #require(await results(bytes(text)).first))
                    == Place.all(in: result))
        }
    }

    /// A frame's location, without values that only some formats have.
    private struct Place: Hashable {
        var role: StackRole
        var thread: Int
        var isAttributed: Bool
        var image: ImageID?
        var offset: ImageOffset?
        var function: String?
        var isInlined: Bool

        static func all(in result: SymbolicatedDiagnostic) -> [Place] {
            let stacks = result.stacks.sorted {
                ($0.role.rawValue, $0.index) < ($1.role.rawValue, $1.index)
            }
            return stacks.flatMap { stack in
                result.frames[stack.frames.clamped(to: result.frames.indices)].map {
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

/// All files that contain a diagnostic.
private let fixtures: [String] = {
    let paths = FileManager.default.subpaths(atPath: fixtureFolder.resolvingSymlinksInPath().path)
    return (paths ?? []).filter { path in
        [".json", ".ips", ".crash", ".txt"].contains { path.hasSuffix($0) }
            && !path.hasSuffix(".expected.json")
    }.sorted()
}()
