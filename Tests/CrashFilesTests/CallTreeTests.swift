import CallStacks
import CrashFiles
import TestSupport
import Testing

/// One real hang as text and as JSON.
@Suite("A call tree in a file")
struct CallTreeTests {
    static let forms: [(name: String, text: @Sendable () throws -> String)] = [
        ("hang.spindump.txt", { try HungOrchard.spindump() }),
        ("hang.sample.txt", { try HungOrchard.sample() }),
        ("hang.app-store-connect.json", { try HungOrchard.appStoreConnect() }),
    ]

    @Test("gets functions and lines in its own form", arguments: forms.map(\.name))
    func written(name: String) async throws {
        let text = try text(name)
        let answered = await AnsweredFile(text)
        #expect(answered.file.reports.count == 1)
        #expect(answered.file.unread.isEmpty)
        try expectGolden(text + "----------------\n" + answered.text, name)
    }

    @Test("stays what it is when it is symbolicated again", arguments: forms.map(\.name))
    func again(name: String) async throws {
        let once = await AnsweredFile(try text(name))
        let twice = await AnsweredFile(once.text)
        #expect(twice.text == once.text)
        #expect(twice.frames == once.frames)
    }

    @Test("stays as it came where nothing is resolved", arguments: forms.map(\.name))
    func unresolved(name: String) async throws {
        let text = try text(name).replacing("4C4C44", with: "5C5C44")
        #expect(await AnsweredFile(text).text == text)
    }

    @Test("is the same tree in every form")
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

    @Test("says what it is about", arguments: forms.map(\.name))
    func details(name: String) throws {
        let report = try #require(CrashFileReader().read(Array(try text(name).utf8)).reports.first)
        let diagnostic = report.resolved()
        #expect(diagnostic.kind == (name == "hang.sample.txt" ? .unknown : .hang))
        #expect(diagnostic.details.bundleIdentifier == "com.example.orchard")
        #expect(diagnostic.details.appVersion == "1.4.0")
        #expect(diagnostic.details.appBuild == "120")
        #expect(diagnostic.details.architecture == "arm64")
    }

    @Test("has counts that add up, before and after", arguments: forms.map(\.name))
    func counts(name: String) async throws {
        let answered = await AnsweredFile(try text(name))
        for text in [try text(name), answered.text] {
            let frames = await AnsweredFile(text).frames
            for (index, frame) in frames.enumerated() {
                let below = frames.filter { $0.parent == index }.compactMap(\.samples)
                #expect(below.reduce(0, +) <= frame.samples ?? 0)
            }
        }
    }

    @Test("may have offsets that were moved back already")
    func movedBack() throws {
        let file = CrashFileReader().read(Array(try HungOrchard.spindump(isMovedBack: true).utf8))
        let frames = try #require(file.reports.first).resolved().tree.frames
        #expect(frames.map(\.site) == (try HungOrchard.diagnostic().tree.frames.map(\.site)))
        #expect(frames.contains { if case .adjusted? = $0.site { true } else { false } })
    }

    @Test("gives some output whatever is missing or broken", arguments: forms.map(\.name))
    func damaged(name: String) async throws {
        let bytes = Array(try text(name).utf8)
        var numbers = SplitMix64(seed: 40)
        for step in 0..<50 {
            let cut = Array(bytes[..<(bytes.count * step / 50)])
            #expect(await AnsweredFile(cut).text.utf8.count >= cut.count)
            let answered = await AnsweredFile(bytes.damaged(using: &numbers))
            #expect(!answered.text.isEmpty)
        }
    }

    private func text(_ name: String) throws -> String {
        try #require(Self.forms.first { $0.name == name }).text()
    }

    /// Where a frame is looked up, how often it was seen, and below of which other.
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
