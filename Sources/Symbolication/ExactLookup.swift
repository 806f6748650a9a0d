public import CallStacks
public import Demangling

/// Looks single offsets up and says what the debug information says: a line 0 stays 0, and code that
/// the compiler made up has no file.
public struct ExactLookup {
    private var names: FunctionNames

    public init(demangler: Demangler = Demangler()) { names = FunctionNames(demangler: demangler) }

    /// The functions at `offset`, innermost first, and what became of the lookup.
    ///
    /// - Parameter supply: What a provider has for `image`.
    public mutating func answer(
        _ image: ImageID, at offset: ImageOffset, in supply: SymbolSupply
    ) -> (status: FrameStatus, frames: [SymbolicatedFrame]) {
        guard case .found(let symbols) = supply else {
            if case .missing = supply { return (.missingImage, []) }
            return (.corruptIndex, [])
        }
        do {
            guard let chain = try symbols.functions(at: offset) else {
                return (symbols.hasDebugInformation ? .notFound : .noDebugInfo, [])
            }
            let hasLine = chain.frames.contains { $0.file != nil }
            let status: FrameStatus = hasLine ? .symbolicated : .symbolOnly
            return (status, chain.frames.map { frame($0, image, offset, chain.start, status) })
        } catch {
            return (.corruptIndex, [])
        }
    }

    private mutating func frame(
        _ source: SourceFrame, _ image: ImageID, _ offset: ImageOffset, _ start: ImageOffset,
        _ status: FrameStatus
    ) -> SymbolicatedFrame {
        var frame = SymbolicatedFrame(
            physical: 0,
            frame: CallFrame(image: image, imageName: nil, site: .programCounter(offset)),
            status: status)
        let name = source.function.map { names.name(of: $0) }
        frame.isInApp = true
        frame.function = name?.shown
        frame.mangled = source.function
        frame.isCompilerGenerated = name?.isCompilerGenerated == true || !source.hasWrittenFile
        frame.isInlined = source.isInlined
        if source.hasWrittenFile { frame.file = source.file }
        frame.line = source.line
        frame.column = source.column
        if !source.isInlined { frame.functionDistance = offset.rawValue - start.rawValue }
        return frame
    }
}
