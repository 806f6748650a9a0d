import CallStacks

/// The diagnostics next to one in a list.
public struct DiagnosticNeighbours: Hashable, Sendable {
    /// The identifiers of the next newer and the next older diagnostic, or `nil` at an end of the
    /// list.
    public var newer: String?
    public var older: String?
    /// The number of newer diagnostics, at most ``DiagnosticQuery/largestLimit``.
    public var newerCount: Int

    public init(newer: String? = nil, older: String? = nil, newerCount: Int = 0) {
        self.newer = newer
        self.older = older
        self.newerCount = newerCount
    }
}

extension DiagnosticQuery {
    /// Returns a query for the part of the list that is older than an address.
    public func older(than address: RecordAddress, limit: Int) -> Self {
        var query = self
        (query.before, query.after, query.limit) = (address, nil, limit)
        return query
    }

    /// Returns a query for the part of the list that is newer than an address.
    public func newer(than address: RecordAddress, limit: Int) -> Self {
        var query = self
        (query.before, query.after, query.limit) = (nil, address, limit)
        return query
    }
}
