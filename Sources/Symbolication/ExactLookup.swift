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
    private var texts = AnswerTexts()
    private var demangling = DemanglingBudget()
    private var answersUntilRenewal = Self.answersPerBudget

    /// Answers that share a budget for demangling, so that a session without end is no reason for
    /// mangled names, and hostile ones cost each answer little.
    private static let answersPerBudget = 4_096

    public init(provider: any SymbolProvider, demangler: Demangler = Demangler()) {
        self.provider = provider
        self.demangler = demangler
    }

    /// The names of all functions that were found, by their numbers.
    public var names: [FunctionName] { texts.names.demangled }

    /// The files of all functions that were found, by their numbers.
    public var files: [SourceFile] { texts.files.all }

    /// The answer to a question about the image of the last one, without waiting for anything.
    ///
    /// - Returns: `nil` for another image, and where the index is found damaged: both are for
    ///   ``answer(_:at:)``, which may have to wait for an index.
    public mutating func answerAtOnce(_ image: ImageID, at offset: ImageOffset) -> ExactAnswer? {
        guard current?.image == image else { return nil }
        return try? lookUp(image, at: offset)
    }

    /// The answer to a question about any image.
    public mutating func answer(_ image: ImageID, at offset: ImageOffset) async -> ExactAnswer {
        if current?.image != image {
            put(back: current)
            current = opened.removeValue(forKey: image).map { (image, $0) }
        }
        if current == nil, let status = open(image, await provider.symbols(for: image)) {
            return ExactAnswer(image, offset, status)
        }
        do {
            return try lookUp(image, at: offset)
        } catch {
            current = nil
        }
        // What is damaged may be derived from something that is not.
        if let status = open(image, await provider.symbols(insteadOfDamagedFor: image)) {
            return ExactAnswer(image, offset, status)
        }
        do {
            return try lookUp(image, at: offset)
        } catch {
            return ExactAnswer(image, offset, .corruptIndex)
        }
    }

    /// The functions of an answer with their texts.
    ///
    /// - Parameter name: What the frames call the image.
    public func frames(of answer: ExactAnswer, named name: String? = nil) -> [SymbolicatedFrame] {
        let call = CallFrame(
            image: answer.image, imageName: name, site: .programCounter(answer.offset))
        return answer.functions.map { function in
            var frame = SymbolicatedFrame(physical: 0, frame: call, status: function.status)
            frame.take(function, texts)
            frame.isInApp = true
            frame.functionDistance = answer.distance(in: function)
            return frame
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
        _ image: ImageID, at offset: ImageOffset
    ) throws(SymbolIndexError) -> ExactAnswer {
        var budget = LookupBudget()
        guard let answer = try current?.lookup.answer(at: offset, &texts, &budget) else {
            return ExactAnswer(image, offset, .notFound)
        }
        renewBudget()
        texts.names.demangle(by: demangler, &demangling)
        switch answer {
        case .unresolved(let status, let isOutsideCode):
            var answer = ExactAnswer(image, offset, status)
            answer.isOutsideCode = isOutsideCode
            return answer
        case .functions(let functions, let start):
            let hasLine = functions.contains { $0.status == .symbolicated }
            return ExactAnswer(
                image, offset, hasLine ? .symbolicated : functions.last?.status ?? .notFound,
                functions: functions, functionStart: start)
        }
    }

    private mutating func renewBudget() {
        answersUntilRenewal -= 1
        guard answersUntilRenewal <= 0 else { return }
        answersUntilRenewal = Self.answersPerBudget
        demangling = DemanglingBudget()
    }
}
