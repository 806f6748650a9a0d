public import CallStacks

/// The result of ``Catalogue/add(_:)``.
public enum CatalogueChange: Hashable, Sendable {
    case added(number: Int64)
    /// The new file is better and replaced this one.
    case replaced(StoredDebugFile, number: Int64)
    /// This file stays, because it is as good or better.
    case kept(StoredDebugFile)

    /// The number of the change of symbols, or `nil` if the stored file was kept.
    public var number: Int64? {
        switch self {
        case .added(let number), .replaced(_, let number): number
        case .kept: nil
        }
    }
}

/// The changes of symbols after a certain one.
public struct SymbolChangeList: Hashable, Sendable {
    /// The images of the changes, or `nil` if some of the changes are no longer stored.
    public var images: Set<ImageID>?
    /// The number of the last change, or 0 if there was none.
    public var lastNumber: Int64

    public init(images: Set<ImageID>?, lastNumber: Int64) {
        self.images = images
        self.lastNumber = lastNumber
    }
}
