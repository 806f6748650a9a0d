public import CallStacks
public import SymbolIndexes

extension SymbolIndex: ImageSymbols {
    public var architecture: Architecture? { image.architecture }

    public var hasDebugInformation: Bool { !isSymbolTableOnly }

    public var codeEnd: ImageOffset? { nil }

    public func functions(at offset: ImageOffset) throws -> FunctionChain? {
        try frames(at: offset).map { FunctionChain(frames: $0.frames, start: $0.functionStart) }
    }
}
