import Problems
import Testing

@Suite("Problems")
struct ProblemTests {
    private let missing = Problem("a.dSYM", detail: "no such file", suggestion: "check the path")

    @Test("the text joins the parts that are present")
    func text() {
        #expect(missing.description == "a.dSYM: no such file: check the path")
        #expect(
            Problem("json+0x1", detail: "expected a key").description == "json+0x1: expected a key")
        #expect(
            Problem(detail: "is empty", suggestion: "remove it").description
                == "is empty: remove it")
        #expect(Problem(detail: "is empty").description == "is empty")
    }

    @Test("a subject replaces the other one, or contains it")
    func subjects() {
        #expect(missing.of("b").description == "b: no such file: check the path")
        #expect(missing.of(nil).description == "no such file: check the path")
        #expect(
            missing.inside("x.zip").description == "x.zip: a.dSYM: no such file: check the path")
        #expect(missing.of(nil).inside("x.zip").subject == "x.zip")
    }

    @Test("a suggestion is added only where there is none, whatever the texts contain")
    func suggestions() {
        #expect(missing.suggesting("try again") == missing)
        let colons = Problem("a: b: c", detail: "d: e: f")
        #expect(colons.suggesting("try again").suggestion == "try again")
        #expect(colons.suggesting(nil) == colons)
    }

    @Test("an error of ours keeps its parts, and one of a library its text")
    func errors() {
        struct Own: DescribedError { let problem: Problem }
        struct Foreign: Error, CustomStringConvertible { let description = "a: b: c" }
        #expect(Problem(Own(problem: missing)) == missing)
        #expect(Problem(missing) == missing)
        #expect("\(Own(problem: missing))" == missing.description)
        #expect(Problem(Foreign()) == Problem(detail: "a: b: c"))
    }
}
