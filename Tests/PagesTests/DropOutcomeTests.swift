import CallStacks
import Testing

@testable import Pages

@Suite("What dropped symbols changed")
struct DropOutcomeTests {
    @Test("one image gives an exact number, several a lower bound, and none no sentence")
    func served() {
        var outcome = DropOutcome()
        #expect(outcome.sentences.isEmpty)
        outcome.servedCounts = [37]
        #expect(outcome.sentences == ["37 diagnostics became readable."])
        outcome.servedCounts = [1, 37]
        #expect(outcome.sentences == ["At least 37 diagnostics became readable."])
    }

    @Test("another build is named with both UUIDs, and its name cannot reorder the text")
    func otherBuild() {
        var outcome = DropOutcome()
        outcome.otherBuilds = [
            .init(name: "Shop\u{202e}", image: Example.pay, wanted: Example.shop)
        ]
        let sentence = outcome.sentences.first ?? ""
        #expect(sentence.hasPrefix("Shop\u{fffd} is another build"))
        #expect(sentence.contains("\(Example.pay)") && sentence.contains("\(Example.shop)"))
        var page = DroppedPage(id: "1")
        page.outcome = outcome
        let text = String(decoding: page.page(in: PagesTests.context), as: UTF8.self)
        #expect(text.contains(sentence))
    }
}
