public import CallStacks
public import Demangling
import SymbolIndexes

/// Looks single offsets up, exactly as given, and says what the debug information says: a line 0
/// stays 0, and code that the compiler made up has no file. Where that is wanted it says instead what
/// the frames of a report would get.
public struct ExactLookup {
    private let provider: any SymbolProvider
    private let demangler: Demangler
    /// Whether code without a line gets the nearest one of its function, and inlined calls the starts
    /// of their code, as in reports.
    private let fillsGaps: Bool
    /// The image of the last question: the next one is mostly about it too.
    private var current: (image: ImageID, lookup: IndexLookup)?
    /// The other images that were asked about.
    private var opened: [ImageID: IndexLookup] = [:]
    /// What was last answered by symbols that are elsewhere.
    private var answered: (image: ImageID, symbols: AnsweredImage)?
    private var texts = AnswerTexts()
    private var demangling = DemanglingBudget()
    private var budget = LookupBudget()
    private var answersUntilRenewal = Self.answersPerBudget

    /// Answers that share their budgets, so that a session without end is no reason for mangled names,
    /// and hostile ones cost each answer little.
    private static let answersPerBudget = 4_096

    public init(
        provider: any SymbolProvider, demangler: Demangler = Demangler(), fillsGaps: Bool = false
    ) {
        self.provider = provider
        self.demangler = demangler
        self.fillsGaps = fillsGaps
    }

    /// The names of all functions that were found, by their numbers.
    public var names: [FunctionName] { texts.names.demangled }

    /// The files of all functions that were found, by their numbers.
    public var files: [SourceFile] { texts.files.all }

    /// The answer to a question about the image of the last one, without waiting for anything.
    ///
    /// - Returns: `nil` for another image, where the index is found damaged, and where there is none
    ///   here: all of that is for ``answer(_:at:)``, which may have to wait.
    public mutating func answerAtOnce(_ image: ImageID, at offset: ImageOffset) -> ExactAnswer? {
        guard current?.image == image else { return nil }
        return try? lookUp(image, at: offset)
    }

    /// The answer to a question about any image.
    public mutating func answer(_ image: ImageID, at offset: ImageOffset) async -> ExactAnswer {
        if let status = await fetch(image, at: [offset]) {
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

    /// Gets ready for questions about these offsets of an image, so that who is elsewhere is asked for
    /// all of them together.
    ///
    /// - Returns: Why there is nothing to ask, or `nil` where there is.
    @discardableResult
    public mutating func fetch(_ image: ImageID, at offsets: [ImageOffset]) async -> FrameStatus? {
        if current?.image != image {
            put(back: current)
            current = opened.removeValue(forKey: image).map { (image, $0) }
        }
        if current != nil || hasAnswers(image, to: offsets) { return nil }
        return open(image, await provider.symbols(for: image, at: offsets))
    }

    /// Whether a question about an offset can be answered without asking who is elsewhere.
    public func isReady(for image: ImageID, at offset: ImageOffset) -> Bool {
        current?.image == image || opened[image] != nil || hasAnswers(image, to: [offset])
    }

    private func hasAnswers(_ image: ImageID, to offsets: [ImageOffset]) -> Bool {
        guard let answered, answered.image == image else { return false }
        return offsets.allSatisfy { answered.symbols.answers[$0] != nil }
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
            current = (
                image, IndexLookup(in: index, fillsGaps: fillsGaps, findsCallStarts: fillsGaps)
            )
            return nil
        case .answered(let symbols):
            answered = (image, symbols)
            return symbols.isCorrupt ? .corruptIndex : nil
        case .missing: return .missingImage
        case .corrupt: return .corruptIndex
        }
    }

    private mutating func lookUp(
        _ image: ImageID, at offset: ImageOffset
    ) throws(SymbolIndexError) -> ExactAnswer {
        guard
            let answer = try current?.lookup.answer(at: offset, &texts, &budget)
                ?? answered?.symbols.answer(at: offset, &texts)
        else { return ExactAnswer(image, offset, .notFound) }
        renewBudgets()
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

    private mutating func renewBudgets() {
        answersUntilRenewal -= 1
        guard answersUntilRenewal <= 0 else { return }
        answersUntilRenewal = Self.answersPerBudget
        demangling = DemanglingBudget()
        budget = LookupBudget()
    }
}

extension ExactLookup {
    /// All that is to be said of some offsets of one image. Symbols that fail at one of them are not
    /// believed at any.
    public mutating func lookup(of image: ImageID, at offsets: [ImageOffset]) async -> ImageLookup {
        if let status = await fetch(image, at: offsets) {
            return ImageLookup(image, status == .missingImage ? .missing : .corrupt)
        }
        var answers: [ExactAnswer] = []
        for offset in offsets { answers.append(await answer(image, at: offset)) }
        guard let index = current?.lookup.index,
            !answers.contains(where: { $0.status == .corruptIndex })
        else { return ImageLookup(image, .corrupt) }
        return ImageLookup(
            image, index.isSymbolTableOnly ? .noDebugInfo : .found,
            architecture: index.image.architecture, base: index.image.base, answers: answers)
    }
}
