import TestSupport
import Testing

@testable import ObjectStorage

@Suite("Paging of lists")
struct ListPagingTests {
    private func token(_ number: Int) -> [QueryItem] { [QueryItem(name: "t", value: "\(number)")] }

    @Test("pages that repeat are noticed, whatever their number", arguments: 0..<12, 1..<12)
    func circles(lead: Int, length: Int) {
        var paging = ListPaging()
        #expect(throws: AttemptFailure.self) {
            for number in 0..<200 {
                let next = number < lead ? number : lead + (number - lead) % length
                try paging.advance(to: token(next), isEmpty: false)
            }
        }
    }

    @Test("a long list without repetition has all pages")
    func long() throws {
        var paging = ListPaging()
        for number in 0..<10_000 { try paging.advance(to: token(number), isEmpty: false) }
        #expect(!paging.isAtEnd)
        try paging.advance(to: nil, isEmpty: true)
        #expect(paging.isAtEnd)
    }

    @Test("a list of empty pages ends in an error")
    func empty() throws {
        var paging = ListPaging()
        for number in 0..<ListPaging.emptyPagesLimit {
            try paging.advance(to: token(number), isEmpty: true)
        }
        #expect(throws: AttemptFailure.self) { try paging.advance(to: token(-1), isEmpty: true) }
    }
}
