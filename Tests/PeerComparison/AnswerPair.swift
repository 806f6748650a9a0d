import CallStacks
import SymbolIndexes

/// What we and the peer say about one place, and what the debug file says about it besides.
struct AnswerPair {
    let offset: ImageOffset
    let ours: IndexAnswer?
    /// The peer's frames. All are empty where it knows nothing.
    let peers: [LLVMSymbolizer.Frame]

    var peerKnows: Bool { peers.contains { !$0.function.isEmpty || $0.line > 0 } }

    /// Whether the peer has the same frames, their names compared by `isSameName`, which is told
    /// whether the frame is the outermost.
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
    /// `0x10: main main.c:1:2 ≠ main main.c:1:3`.
    var description: String {
        let left = ours?.frames.map {
            "\($0.function ?? "?") \($0.file?.name ?? "?"):\($0.line):\($0.column)"
        }
        let right = peers.map { "\($0.function) \($0.fileName):\($0.line):\($0.column)" }
        return "0x\(String(offset.rawValue, radix: 16)): "
            + "\(left?.joined(separator: " < ") ?? "nothing") ≠ \(right.joined(separator: " < "))"
    }
}
