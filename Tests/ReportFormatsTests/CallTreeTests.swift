import CallStacks
import LogExtraction
import ReportFormats
import TestSupport
import Testing

/// A real hang as text and as JSON.
@Suite("Call trees in files")
struct CallTreeTests {
    static let forms: [(name: String, text: @Sendable () throws -> String)] = [
        ("hang.spindump.txt", { try HungOrchard.spindump() }),
        ("hang.sample.txt", { try HungOrchard.sample() }),
        ("hang.app-store-connect.json", { try HungOrchard.appStoreConnect() }),
    ]

    @Test("functions and lines are written in the form of the file", arguments: forms.map(\.name))
    func written(name: String) async throws {
        let text = try text(name)
        let symbolicated = await SymbolicatedFile(text)
        #expect(symbolicated.file.reports.count == 1)
        #expect(symbolicated.file.unread.isEmpty)
        try expectGolden(text + "----------------\n" + symbolicated.text, name)
    }

    @Test("symbolicating a file again changes nothing", arguments: forms.map(\.name))
    func again(name: String) async throws {
        let once = await SymbolicatedFile(try text(name))
        let twice = await SymbolicatedFile(once.text)
        #expect(twice.text == once.text)
        #expect(twice.frames == once.frames)
    }

    @Test("a file without resolved frames stays unchanged", arguments: forms.map(\.name))
    func unresolved(name: String) async throws {
        let text = try text(name).replacing("4C4C44", with: "5C5C44")
        #expect(await SymbolicatedFile(text).text == text)
    }

    @Test("every form has the same tree")
    func sameTree() throws {
        let expected = try HungOrchard.diagnostic().tree.frames.map(Place.init)
        for form in Self.forms {
            let report = try #require(
                CrashFileReader().read(Array(try form.text().utf8)).reports.first)
            let tree = report.resolved().tree
            #expect(tree.form == .sampled)
            #expect(tree.stacks.map(\.frames) == [tree.frames.indices])
            #expect(tree.frames.map(Place.init) == expected, "\(form.name)")
        }
    }

    @Test("every form has the same details", arguments: forms.map(\.name))
    func details(name: String) throws {
        let report = try #require(CrashFileReader().read(Array(try text(name).utf8)).reports.first)
        let diagnostic = report.resolved()
        #expect(diagnostic.kind == (name == "hang.sample.txt" ? .unknown : .hang))
        #expect(diagnostic.details.bundleIdentifier == "com.example.orchard")
        #expect(diagnostic.details.appVersion == "1.4.0")
        #expect(diagnostic.details.appBuild == "120")
        #expect(diagnostic.details.architecture == "arm64")
    }

    @Test("sample counts add up, before and after rewriting", arguments: forms.map(\.name))
    func counts(name: String) async throws {
        let symbolicated = await SymbolicatedFile(try text(name))
        for text in [try text(name), symbolicated.text] {
            let frames = await SymbolicatedFile(text).frames
            for (index, frame) in frames.enumerated() {
                let below = frames.filter { $0.parent == index }.compactMap(\.samples)
                #expect(below.reduce(0, +) <= frame.samples ?? 0)
            }
        }
    }

    @Test("offsets that are already moved back are detected")
    func movedBack() throws {
        let file = CrashFileReader().read(Array(try HungOrchard.spindump(isMovedBack: true).utf8))
        let frames = try #require(file.reports.first).resolved().tree.frames
        #expect(frames.map(\.site) == (try HungOrchard.diagnostic().tree.frames.map(\.site)))
        #expect(frames.contains { if case .adjusted? = $0.site { true } else { false } })
    }

    @Test("a damaged file is read whatever is missing or broken", arguments: forms.map(\.name))
    func damaged(name: String) async throws {
        let bytes = Array(try text(name).utf8)
        var numbers = SplitMix64(seed: 40)
        for step in 0..<50 {
            let cut = Array(bytes[..<(bytes.count * step / 50)])
            #expect(await SymbolicatedFile(cut).text.utf8.count >= cut.count)
            let symbolicated = await SymbolicatedFile(bytes.damaged(using: &numbers))
            #expect(!symbolicated.text.isEmpty)
        }
    }

    private func text(_ name: String) throws -> String {
        try #require(Self.forms.first { $0.name == name }).text()
    }

    /// A frame's lookup, its sample count, and its parent.
    private struct Place: Equatable {
        var image: ImageID?
        var offset: ImageOffset?
        var samples: UInt64?
        var parent: Int?

        init(_ frame: CallFrame) {
            image = frame.image
            offset = frame.site?.lookupOffset
            samples = frame.samples
            parent = frame.parent
        }
    }
}
