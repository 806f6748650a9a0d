import Ingest
import Testing

@Suite("Trends of groups")
struct GroupTrendTests {
    @Test("a group is new in the newest version, or back in it")
    func trend() {
        let versions = ["1.0", "1.1", "1.2"]
        #expect(DiagnosticGroup.Trend(seenIn: ["1.2"], among: versions) == .new)
        #expect(DiagnosticGroup.Trend(seenIn: ["1.0", "1.2"], among: versions) == .back)
        #expect(DiagnosticGroup.Trend(seenIn: ["1.1", "1.2"], among: versions) == nil)
        #expect(DiagnosticGroup.Trend(seenIn: ["1.0"], among: versions) == nil)
        #expect(DiagnosticGroup.Trend(seenIn: ["1.0"], among: ["1.0"]) == nil)
    }
}
