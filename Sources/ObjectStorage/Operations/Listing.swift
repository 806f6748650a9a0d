/// A list of objects or uploads in a bucket, whose pages are requested on demand.
///
/// Iteration throws ``ObjectStorageError`` or `CancellationError`.
public struct Listing<Element: Sendable>: AsyncSequence, Sendable {
    let bucket: Bucket
    let request: StorageRequest
    /// The root element of a page.
    let root: String
    let read: @Sendable (XMLElement) throws -> Page

    struct Page: Sendable {
        var elements: [Element]
        /// The parameters of the next page, or `nil` at the end.
        var next: [QueryItem]?
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let listing: Listing
        private var paging = ListPaging()
        private var rest: ArraySlice<Element> = []

        fileprivate init(_ listing: Listing) { self.listing = listing }

        public mutating func next() async throws -> Element? {
            while rest.isEmpty, !paging.isAtEnd {
                try Task.checkCancellation()
                rest = try await nextPage()
            }
            return rest.popFirst()
        }

        private mutating func nextPage() async throws -> ArraySlice<Element> {
            var request = listing.request
            request.query += paging.token
            let document = try await listing.bucket.document(listing.root, request: request)
            do {
                let page = try listing.read(document)
                try paging.advance(to: page.next, isEmpty: page.elements.isEmpty)
                return page.elements[...]
            } catch let failure as AttemptFailure {
                throw listing.bucket.connection.error(failure, of: request, attempts: 1)
            }
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension XMLElement {
    /// Returns the text of a child.
    ///
    /// - Throws: ``AttemptFailure`` if it has none.
    func required(_ name: String) throws(AttemptFailure) -> String {
        guard let text = self[name]?.text, !text.isEmpty else {
            throw .malformed("sent a list without \(name)")
        }
        return text
    }

    /// Whether there is another page.
    var isTruncated: Bool { self["IsTruncated"]?.text == "true" }
}
