import CallStacks

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
    /// No legitimate reason is known.
    case unexplained
}

extension Agreement {
    /// - Parameter aliases: The names of all symbols at the start of the function.
    init(
        ours: [SourceFrame]?, peers: [LLVMSymbolizer.Frame], aliases: Set<String>
    ) {
        let known = peers.filter { !$0.function.isEmpty || $0.line > 0 }
        guard let ours else {
            self = known.isEmpty ? .bothUnknown : Self.withoutOurs(known)
            return
        }
        guard ours.count == peers.count,
            zip(ours, peers).allSatisfy(Self.haveSamePlace)
        else {
            self = .unexplained
            return
        }
        let names = zip(ours, peers).map { Self.haveSameName($0, $1) }
        if names.allSatisfy(\.self) {
            self = .equal
        } else {
            let inlined = names.dropLast().allSatisfy(\.self)
            let isAlias = peers.last.map { aliases.contains($0.plainFunction) } ?? false
            self = inlined && isAlias ? .otherNameOfSamePlace : .unexplained
        }
    }

    private static func withoutOurs(_ peers: [LLVMSymbolizer.Frame]) -> Self {
        peers.allSatisfy { $0.function.isEmpty } ? .padding : .unexplained
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
