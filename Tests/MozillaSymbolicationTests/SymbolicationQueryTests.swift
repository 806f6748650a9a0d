import Problems
import Testing

@testable import MozillaSymbolication

@Suite("Queries of Mozilla's symbolication API")
struct SymbolicationQueryTests {
    private func query(_ text: String) throws -> SymbolicationQuery {
        try SymbolicationQuery(Array(text.utf8))
    }

    @Test("a job may be in a list, or the whole body")
    func forms() throws {
        let job = #"{"memoryMap": [["a.so", "AB"]], "stacks": [[[0, 16], [-1, 5], [0, -1]], []]}"#
        for text in [#"{"jobs": [\#(job)], "version": 5}"#, job] {
            let query = try query(text)
            try #require(query.jobs.count == 1)
            #expect(query.jobs[0].modules == [.init(name: "a.so", debugID: "AB")])
            #expect(
                query.jobs[0].stacks == [
                    [
                        .init(module: 0, offset: 16), .init(module: nil, offset: 5),
                        .init(module: 0, offset: nil),
                    ], [],
                ])
        }
    }

    @Test("offsets have up to 64 bits")
    func wideOffsets() throws {
        let query = try query(
            #"{"memoryMap": [["a", ""]], "stacks": [[[0, 18446744073709551615]]]}"#)
        #expect(query.jobs.first?.stacks.first?.first?.offset == .max)
    }

    @Test(
        "a body of another form is refused",
        arguments: [
            "", "[]", "{}", "{", #"{"jobs": {}}"#, #"{"jobs": [1]}"#, #"{"memoryMap": []}"#,
            #"{"memoryMap": [["a"]], "stacks": []}"#, #"{"memoryMap": [["a", 1]], "stacks": []}"#,
            #"{"memoryMap": [["a", "xyz"]], "stacks": []}"#,
            #"{"memoryMap": [["a/b", "AB"]], "stacks": []}"#,
            #"{"memoryMap": [], "stacks": [[[0, 1]]]}"#,
            #"{"memoryMap": [["a", "AB"]], "stacks": [[[1, 1]]]}"#,
            #"{"memoryMap": [["a", "AB"]], "stacks": [[[-2, 1]]]}"#,
            #"{"memoryMap": [["a", "AB"]], "stacks": [[[0, -2]]]}"#,
            #"{"memoryMap": [["a", "AB"]], "stacks": [[[0, 1.5]]]}"#,
            #"{"memoryMap": [["a", "AB"]], "stacks": [[[0, "1"]]]}"#,
            #"{"memoryMap": [["a", "AB"]], "stacks": [[0]]}"#,
            #"{"memoryMap": [["a", "AB"]], "stacks": [0]}"#,
        ])
    func refused(text: String) throws {
        #expect { try query(text) } throws: { error in
            (error as? QueryError)?.reason == .malformed
        }
    }

    @Test("a frame and a module past the limits are refused")
    func limits() throws {
        func text(modules: Int, frames: Int) -> String {
            let module = Array(repeating: #"["a","AB"]"#, count: modules).joined(separator: ",")
            let frame = Array(repeating: "[-1,1]", count: frames).joined(separator: ",")
            return #"{"memoryMap":[\#(module)],"stacks":[[\#(frame)]]}"#
        }
        let (modules, frames) = (SymbolicationQuery.moduleLimit, SymbolicationQuery.frameLimit)
        _ = try query(text(modules: modules, frames: frames))
        for (modules, frames) in [(modules + 1, 1), (1, frames + 1)] {
            #expect { try query(text(modules: modules, frames: frames)) } throws: { error in
                (error as? QueryError)?.reason == .tooLarge
            }
        }
    }
}
