/// Follows the pages of a list.
///
/// A list must end even if a server sends the same pages again and again. The token of each page is
/// compared with that of one earlier page, which is replaced at ever longer intervals, so a cycle
/// of any length is found without storing all tokens (Brent, "An improved Monte Carlo factorization
/// algorithm", 1980).
struct ListPaging: Sendable {
    /// The parameters of the next page.
    private(set) var token: [QueryItem] = []
    private(set) var isAtEnd = false
    private var compared: [QueryItem]?
    private var pageCount = 0
    private var interval = 1
    private var emptyPageCount = 0

    /// The maximum number of consecutive pages without an element.
    static let emptyPagesLimit = 1_000

    /// Advances to the next page.
    ///
    /// - Parameter token: The parameters of the next page, or `nil` if there is none.
    /// - Throws: ``AttemptFailure`` if the list does not end.
    mutating func advance(to token: [QueryItem]?, isEmpty: Bool) throws(AttemptFailure) {
        emptyPageCount = isEmpty ? emptyPageCount + 1 : 0
        guard let token else {
            isAtEnd = true
            return
        }
        guard token != compared, emptyPageCount <= Self.emptyPagesLimit else {
            throw .malformed("sent a list without an end")
        }
        self.token = token
        pageCount += 1
        guard pageCount == interval else { return }
        compared = token
        pageCount = 0
        interval *= 2
    }
}
