import ByteReading
import CallStacks
import DebugFiles
import IndexSupport
import SymbolIndexes
public import SymbolStores

/// A comparison of our results for one slice of a debug file with those of `llvm-symbolizer`.
public struct PeerComparison: Sendable {
    /// The number of offsets by agreement.
    public private(set) var counts: [Agreement: Int] = [:]
    /// The first offsets for each kind of disagreement, with both results.
    public private(set) var examples: [Agreement: [String]] = [:]

    /// The number of compared offsets.
    public var total: Int { counts.values.reduce(0, +) }

    /// - Parameters:
    ///   - opened: The slice.
    ///   - examplesLimit: The maximum number of ``examples`` of each kind.
    public init(
        of opened: OpenedDebugFile, sample: AddressSample, examplesLimit: Int = 3
    ) throws {
        let file = opened.file
        let index = try SymbolIndex(
            FileBytes(SymbolIndex.bytes(of: file, name: opened.path)))
        var symbols = SymbolNames(layout: file.layout)
        _ = file.read(into: &symbols)
        let offsets = sample.offsets(
            layout: file.layout, architecture: file.architecture, symbols: symbols)
        let base = file.layout.base.rawValue
        let peers = try LLVMSymbolizer.frames(
            at: offsets.map { LinkAddress(base &+ $0.rawValue) }, in: opened.path,
            architecture: file.architecture)
        let pairs = try zip(offsets, peers).map {
            AnswerPair(offset: $0, ours: try index.frames(at: $0), peers: $1)
        }
        add(pairs, of: file, symbols, examplesLimit: examplesLimit)
    }

    private mutating func add(
        _ pairs: [AnswerPair], of file: DebugFile, _ symbols: SymbolNames, examplesLimit: Int
    ) {
        let unequal = pairs.filter { pair in
            pair.ours.map { !AnswerPair.matches($0.frames, pair.peers) } ?? false
        }
        var functions = CoveringFunctions(at: unequal.map(\.offset))
        if !unequal.isEmpty { _ = file.read(into: &functions) }
        for pair in pairs {
            let agreement = Agreement(
                pair, symbols: symbols, functions: functions.names(at: pair.offset))
            counts[agreement, default: 0] += 1
            if agreement != .equal, examples[agreement, default: []].count < examplesLimit {
                examples[agreement, default: []].append(pair.description)
            }
        }
    }
}
