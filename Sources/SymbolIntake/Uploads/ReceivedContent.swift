import SymbolStores

/// The content that a received file may have, according to its first bytes.
public enum ReceivedContent: Hashable, Sendable {
    case debugFile
    /// Any number of debug files: an archive, or a file of a shared cache.
    case collection
    /// No symbols.
    case other

    public init(fileAt path: String) {
        switch try? FileSignature(of: path) {
        case .debugFile: self = .debugFile
        case .archive, .sharedCache: self = .collection
        case .empty, .other, nil: self = .other
        }
    }
}
