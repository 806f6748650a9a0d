public import CallStacks
public import Demangling
import SymbolIndexes

/// Looks single offsets up and says what the debug information says: a line 0 stays 0, and code that
/// the compiler made up has no file.
public struct ExactLookup {
    private let provider: any SymbolProvider
    private let demangler: Demangler
    /// The image of the last question: the next one is mostly about it too.
    private var current: (image: ImageID, lookup: IndexLookup)?
    /// The other images that were asked about.
    private var opened: [ImageID: IndexLookup] = [:]
    private var names = LinkageNames()
    private var demangling = DemanglingBudget()
    private var answersUntilRenewal = Self.answersPerBudget

    /// Answers that share a budget for demangling, so that a session without end is no reason for
    /// mangled names, and hostile ones cost each answer little.
    private static let answersPerBudget = 4_096

    public init(provider: any SymbolProvider, demangler: Demangler = Demangler()) {
        self.provider = provider
        self.demangler = demangler
    }

    /// The functions at an offset, innermost first, and what became of the lookup.
    ///
    /// - Parameter name: What the frames call the image.
    public mutating func answer(
        _ image: ImageID, named name: String? = nil, at offset: ImageOffset
    ) async -> (status: FrameStatus, frames: [SymbolicatedFrame]) {
        if current?.image != image {
            put(back: current)
            current = opened.removeValue(forKey: image).map { (image, $0) }
        }
        if current == nil, let status = open(image, await provider.symbols(for: image)) {
            return (status, [])
        }
        do {
            return try lookUp(image, named: name, at: offset)
        } catch {
            current = nil
        }
        // What is damaged may be derived from something that is not.
        if let status = open(image, await provider.symbols(insteadOfDamagedFor: image)) {
            return (status, [])
        }
        do {
            return try lookUp(image, named: name, at: offset)
        } catch {
            return (.corruptIndex, [])
        }
    }

    private mutating func put(back current: (image: ImageID, lookup: IndexLookup)?) {
        if let current { opened[current.image] = current.lookup }
    }

    /// - Returns: Why it cannot be asked, or `nil` where it can.
    private mutating func open(_ image: ImageID, _ supply: SymbolSupply) -> FrameStatus? {
        switch supply {
        case .found(let index):
            current = (image, IndexLookup(in: index, fillsGaps: false))
            return nil
        case .missing: return .missingImage
        case .corrupt: return .corruptIndex
        }
    }

    private mutating func lookUp(
        _ image: ImageID, named name: String?, at offset: ImageOffset
    ) throws(SymbolIndexError) -> (status: FrameStatus, frames: [SymbolicatedFrame]) {
        var budget = LookupBudget()
        guard let answer = try current?.lookup.answer(at: offset, &names, &budget)
        else { return (.notFound, []) }
        renewBudget()
        names.demangle(by: demangler, &demangling)
        return rows(
            of: answer, CallFrame(image: image, imageName: name, site: .programCounter(offset)),
            offset)
    }

    private mutating func renewBudget() {
        answersUntilRenewal -= 1
        guard answersUntilRenewal <= 0 else { return }
        answersUntilRenewal = Self.answersPerBudget
        demangling = DemanglingBudget()
    }

    private func rows(
        of answer: OffsetAnswer, _ call: CallFrame, _ offset: ImageOffset
    ) -> (status: FrameStatus, frames: [SymbolicatedFrame]) {
        switch answer {
        case .unresolved(let status, _):
            return (status, [])
        case .functions(let functions, let start):
            let frames = functions.map { function in
                var frame = SymbolicatedFrame(physical: 0, frame: call, status: function.status)
                frame.take(function, names)
                frame.isInApp = true
                if !function.isInlined {
                    frame.functionDistance = offset.rawValue - start.rawValue
                }
                return frame
            }
            let hasLine = frames.contains { $0.status == .symbolicated }
            return (hasLine ? .symbolicated : frames.last?.status ?? .notFound, frames)
        }
    }
}
