import CallStacks
import IndexSupport
import SymbolIndexes

/// Our result and the peer's for one offset, and the debug file's other information about it.
struct AnswerPair {
    let offset: ImageOffset
    let ours: IndexLookupResult?
    /// The peer's frames, all empty if it has no result.
    let peers: [LLVMSymbolizer.Frame]

    var peerKnows: Bool { peers.contains { !$0.function.isEmpty || $0.line > 0 } }

    /// Whether the peer has the same frames. Names are compared by `isSameName`, which gets whether
    /// the frame is the outermost.
    static func matches(
        _ ours: [SourceFrame], _ peers: [LLVMSymbolizer.Frame],
        outermost isSameName: (SourceFrame, LLVMSymbolizer.Frame) -> Bool = haveSameName
    ) -> Bool {
        guard ours.count == peers.count, let last = ours.last, let peerLast = peers.last
        else { return false }
        return zip(ours, peers).allSatisfy(haveSamePlace)
            && zip(ours, peers).dropLast().allSatisfy(haveSameName)
            && isSameName(last, peerLast)
    }

    static func haveSamePlace(_ ours: SourceFrame, _ peer: LLVMSymbolizer.Frame) -> Bool {
        ours.line == peer.line && ours.column == peer.column
            && (ours.file?.name ?? "") == peer.fileName
    }

    static func haveSameName(_ ours: SourceFrame, _ peer: LLVMSymbolizer.Frame) -> Bool {
        ours.function ?? "" == peer.function
    }
}

extension LLVMSymbolizer.Frame {
    var withoutFile: Self {
        var frame = self
        frame.file = ""
        return frame
    }
}

extension AnswerPair: CustomStringConvertible {
    /// A text such as `0x10: main main.c:1:2 ≠ main main.c:1:3`.
    var description: String {
        let left = ours?.frames.map {
            "\($0.function ?? "?") \($0.file?.name ?? "?"):\($0.line):\($0.column)"
        }
        let right = peers.map { "\($0.function) \($0.fileName):\($0.line):\($0.column)" }
        return "0x\(String(offset.rawValue, radix: 16)): "
            + "\(left?.joined(separator: " < ") ?? "nothing") ≠ \(right.joined(separator: " < "))"
    }
}
