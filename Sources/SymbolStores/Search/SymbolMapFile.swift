/// A bitcode symbol map, or a property list that refers to one, as it was found.
public struct SymbolMapFile: Hashable, Sendable {
    public let part: SymbolMapFolder.Part
    public let path: String

    public init(_ part: SymbolMapFolder.Part, at path: String) {
        self.part = part
        self.path = path
    }
}
