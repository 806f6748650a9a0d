import CallStacks
import SymbolIndexes

/// How an answer of ours stands to the peer's.
enum Agreement: String, CaseIterable, Hashable {
    /// Every frame has the same function, file, line and column.
    case equal
    /// Both know nothing.
    case bothUnknown
    /// Code between functions: the peer gives the line of padding without a function, we give none.
    case padding
    /// The peer names the function of a symbol table by the last of several symbols at its start, or
    /// by the symbol of folded code; ours is another legitimate name of the same place.
    case otherNameOfSamePlace
    /// A stripped Mach-O file: the peer lets the symbol before run on over functions whose starts are
    /// known and whose names are not.
    case namelessFunction
    /// Stubs: the peer lets a symbol without a size run on into the section behind its own.
    case otherSection
    /// Code without lines: the peer gives the file that the ELF symbol table has for the symbol.
    case fileOfSymbolTable
    /// No legitimate reason is known.
    case unexplained
}

extension Agreement {
    init(
        ours: IndexAnswer?, peers: [LLVMSymbolizer.Frame], at offset: ImageOffset,
        _ symbols: SymbolNames
    ) {
        let known = peers.filter { !$0.function.isEmpty || $0.line > 0 }
        if let ours {
            self.init(ours, peers, aliases: symbols.names(at: ours.functionStart))
        } else if known.isEmpty {
            self = .bothUnknown
        } else if known.allSatisfy({ $0.function.isEmpty }) {
            self = .padding
        } else {
            self = Self.withoutOurs(known, offset, symbols)
        }
    }

    private static func withoutOurs(
        _ peers: [LLVMSymbolizer.Frame], _ offset: ImageOffset, _ symbols: SymbolNames
    ) -> Self {
        guard peers.count == 1, peers[0].line == 0 else { return .unexplained }
        if symbols.isNameless(offset) { return .namelessFunction }
        let isNear = symbols.isInSection(of: peers[0].plainFunction, offset)
        return isNear ? .unexplained : .otherSection
    }

    private init(_ ours: IndexAnswer, _ peers: [LLVMSymbolizer.Frame], aliases: Set<String>) {
        let pairs = Array(zip(ours.frames, peers))
        let names = pairs.map { Self.haveSameName($0, $1) }
        let places = pairs.map { Self.haveSamePlace($0, $1) }
        if ours.frames.count != peers.count {
            self = .unexplained
        } else if !places.allSatisfy(\.self) {
            let lacksLine = ours.frames.allSatisfy { $0.file == nil } && peers[0].line == 0
            self = lacksLine && names == [true] ? .fileOfSymbolTable : .unexplained
        } else if names.allSatisfy(\.self) {
            self = .equal
        } else {
            let isInlinedEqual = names.dropLast().allSatisfy(\.self)
            let isAlias = peers.last.map { aliases.contains($0.plainFunction) } ?? false
            self = isInlinedEqual && isAlias ? .otherNameOfSamePlace : .unexplained
        }
    }

    private static func haveSamePlace(_ ours: SourceFrame, _ peer: LLVMSymbolizer.Frame) -> Bool {
        ours.line == peer.line && ours.column == peer.column
            && (ours.file?.name ?? "") == peer.fileName
    }

    private static func haveSameName(_ ours: SourceFrame, _ peer: LLVMSymbolizer.Frame) -> Bool {
        ours.function ?? "" == peer.plainFunction
    }
}

extension LLVMSymbolizer.Frame {
    /// The name without the underscore that the peer leaves on names from a Mach-O symbol table.
    var plainFunction: String {
        function.hasPrefix("_") && !function.hasPrefix("__Z") ? String(function) : function
    }
}
