import CallStacks
import IndexSupport
import SymbolIndexes

/// The relation of our result to the peer's.
public enum Agreement: String, CaseIterable, Hashable, Sendable {
    /// Every frame has the same function, file, line and column.
    case equal = "equal"
    /// Both have no result.
    case bothUnknown = "both unknown"
    /// Code between functions: the peer has the line of padding without a function, we have none.
    case padding = "padding"
    /// The peer names the function of a symbol table by the last of several symbols at its start,
    /// or by the symbol of folded code; ours is another legitimate name of the same code.
    case otherNameOfSamePlace = "other name of the same place"
    /// A stripped Mach-O file: the peer extends the preceding symbol over functions with a known
    /// start but no name.
    case namelessFunction = "function without name"
    /// Assembly: the peer names a function by the last label in it, we by its own symbol.
    case innerLabel = "label in a function"
    /// Stubs: the peer extends a symbol without a size into the section after its own.
    case otherSection = "symbol of another section"
    /// Code without lines: the peer has the file that the ELF symbol table lists for the symbol.
    case fileOfSymbolTable = "file of the symbol table"
    /// No legitimate reason is known.
    case unexplained = "unexplained"
}

extension Agreement {
    /// - Parameter functions: The names of all functions that cover the offset.
    init(_ pair: AnswerPair, symbols: SymbolNames, functions: Set<String>) {
        if let ours = pair.ours {
            self = Self.withBoth(pair, ours, symbols, functions)
        } else if !pair.peerKnows {
            self = .bothUnknown
        } else if pair.peers.allSatisfy(\.function.isEmpty) {
            self = .padding
        } else {
            self = Self.withoutOurs(pair, symbols)
        }
    }

    private static func withoutOurs(_ pair: AnswerPair, _ symbols: SymbolNames) -> Self {
        guard pair.peers.count == 1, pair.peers[0].line == 0 else { return .unexplained }
        if symbols.isNameless(pair.offset) { return .namelessFunction }
        let isNear = symbols.isInSection(of: pair.peers[0].function, pair.offset)
        return isNear ? .unexplained : .otherSection
    }

    private static func withBoth(
        _ pair: AnswerPair, _ ours: IndexLookupResult, _ symbols: SymbolNames,
        _ functions: Set<String>
    ) -> Self {
        let frames = ours.frames
        if AnswerPair.matches(frames, pair.peers) { return .equal }
        let hasFileAlone = frames.count == 1 && frames[0].file == nil && pair.peers[0].line == 0
        let peers = hasFileAlone ? pair.peers.map(\.withoutFile) : pair.peers
        if AnswerPair.matches(frames, peers) { return .fileOfSymbolTable }
        let aliases = symbols.names(at: ours.functionStart)
        let name = frames.last?.function ?? ""
        guard aliases.contains(name) || functions.contains(name) else { return .unexplained }
        if AnswerPair.matches(frames, peers, outermost: { aliases.contains($1.function) }) {
            return .otherNameOfSamePlace
        }
        let inside = ours.functionStart...pair.offset
        let isLabel = AnswerPair.matches(
            frames, peers, outermost: { symbols.hasLabel($1.function, in: inside) })
        return isLabel ? .innerLabel : .unexplained
    }
}
