import CallStacks
import FlameGraphs
import Testing

@testable import Pages

@Suite("The page of a version's flame graph")
struct FlamePageTests {
    private func merged(_ samples: [Int: UInt64]) -> MergedStacks {
        var hang = Example.hang
        for (row, count) in samples { hang.frames[row].samples = count }
        var builder = FlameGraphBuilder()
        builder.add(hang)
        return MergedStacks(graph: builder.graph(), mergedCount: 1, diagnosticCount: 2)
    }

    private func page(_ change: (inout FlamePage) -> Void) -> String {
        var choice = FlamePage.Choice()
        (choice.app, choice.version) = ("com.example.shop", "1.4.0")
        var page = FlamePage(choice: choice)
        page.merged = merged([:])
        change(&page)
        return String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
    }

    @Test("a comparison marks growth and shrinkage with a sign in addition to the colour")
    func comparison() {
        // The time of store(_:) moves to hashRow(_:).
        let text = page {
            $0.choice.against = "1.3.2"
            $0.before = merged([5: 12, 6: 12, 7: 25])
        }
        #expect(text.contains("class=\"cell more\""))
        #expect(text.contains("class=\"cell less\""))
        #expect(text.contains("▲ +32.5 %"))
        #expect(text.contains("▼ −32.5 %"))
        #expect(text.contains("the newest 1 of 2 diagnostics"))
    }

    @Test("equal versions have no marks")
    func equal() {
        let text = page {
            $0.choice.against = "1.3.2"
            $0.before = $0.merged
        }
        #expect(!text.contains("cell more") && !text.contains("cell less"))
        #expect(text.contains("No function’s own share changed"))
    }

    @Test("a version without samples is not compared")
    func withoutSamples() {
        let text = page {
            $0.choice.against = "1.3.2"
            $0.before = MergedStacks(
                graph: FlameGraphBuilder().graph(), mergedCount: 0, diagnosticCount: 0)
        }
        #expect(text.contains("One of the versions has no samples"))
        #expect(!text.contains("cell more") && !text.contains("▲"))
    }

    @Test("a version is not offered for a comparison with itself")
    func itself() {
        let text = page { $0.versions = ["1.4.0", "1.3.2"] }
        #expect(text.ranges(of: "<option value=\"1.4.0\"").count == 1)
        #expect(text.ranges(of: "<option value=\"1.3.2\"").count == 2)
    }

    @Test("a picture without the function that the link zooms to says so, alone and compared")
    func missingZoom() throws {
        let note = "The function that the link zooms to is not in this picture."
        var other = Example.hang
        other.frames[5].function = "onlyHere(_:)"
        var builder = FlameGraphBuilder()
        builder.add(other)
        let before = MergedStacks(graph: builder.graph(), mergedCount: 1, diagnosticCount: 1)
        let known = Set(merged([:]).graph.cellIDs())
        let cell = try #require(before.graph.cellIDs().first { !known.contains($0) })
        let compared = page {
            $0.choice.against = "1.3.2"
            $0.before = before
            $0.options.zoom = cell
        }
        #expect(compared.ranges(of: note).count == 1)
        #expect(page { $0.options.zoom = cell }.contains(note))
        #expect(!page { $0.options.zoom = known.first }.contains(note))
    }

    @Test("hostile versions and functions are shown and never become markup")
    func hostile() {
        let name = "<script>\u{202e}\"'"
        let text = page {
            $0.choice.version = name
            $0.choice.against = name
            $0.versions = [name]
            var hang = Example.hang
            hang.frames[5].function = name
            var builder = FlameGraphBuilder()
            builder.add(hang)
            $0.before = MergedStacks(graph: builder.graph(), mergedCount: 1, diagnosticCount: 1)
        }
        #expect(!text.contains("<script>"))
    }
}
