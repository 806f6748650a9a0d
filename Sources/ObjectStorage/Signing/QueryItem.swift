import PercentEncoding

/// A query parameter. S3 selects operations by parameters without a value; these have an empty one.
struct QueryItem: Hashable, Sendable {
    var name: String
    var value = ""
}

extension [QueryItem] {
    /// The encoded text, in the order that signatures require.
    var encoded: String {
        map { ($0.name.percentEncoded(), $0.value.percentEncoded()) }
            .sorted { $0 < $1 }
            .map { "\($0)=\($1)" }
            .joined(separator: "&")
    }
}
