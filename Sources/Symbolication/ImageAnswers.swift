import CallStacks
import SymbolIndexes

/// What the symbols of one image answered to all offsets that were wanted of it.
struct ImageAnswers {
    let status: ImageReport.Status
    /// By its name, as the symbols have it.
    let architecture: String?
    /// One for each offset of the request, or empty where there are no symbols to ask.
    private let answers: [OffsetAnswer]

    /// Looks up all offsets of a request. An index that fails at one of them is damaged, and nothing
    /// that it answered to the others is believed.
    init(
        to request: SymbolicationPlan.Request, from supply: SymbolSupply, findsCallStarts: Bool,
        _ texts: inout AnswerTexts, _ budget: inout LookupBudget
    ) {
        switch supply {
        case .missing:
            self.init(status: .missing)
        case .corrupt:
            self.init(status: .corrupt)
        case .answered(let image):
            let architecture = image.architecture?.name
            if image.isCorrupt {
                self.init(status: .corrupt, architecture: architecture)
                return
            }
            self.init(
                status: image.isSymbolTableOnly ? .noDebugInfo : .found, architecture: architecture,
                answers: request.offsets.map { image.answer(at: $0, &texts) })
        case .found(let index):
            let architecture = index.image.architecture.name
            do throws(SymbolIndexError) {
                var lookup = IndexLookup(in: index, findsCallStarts: findsCallStarts)
                var answers: [OffsetAnswer] = []
                answers.reserveCapacity(request.offsets.count)
                for offset in request.offsets {
                    answers.append(try lookup.answer(at: offset, &texts, &budget))
                }
                self.init(
                    status: index.isSymbolTableOnly ? .noDebugInfo : .found,
                    architecture: architecture, answers: answers)
            } catch {
                self.init(status: .corrupt, architecture: architecture)
            }
        }
    }

    private init(
        status: ImageReport.Status, architecture: String? = nil, answers: [OffsetAnswer] = []
    ) {
        self.status = status
        self.architecture = architecture
        self.answers = answers
    }

    /// The answer to the offset at `position` of the request.
    func answer(at position: Int) -> OffsetAnswer {
        if position < answers.count { return answers[position] }
        return .unresolved(status == .corrupt ? .corruptIndex : .missingImage)
    }
}

/// What became of one offset.
enum OffsetAnswer {
    /// Innermost first, never empty. `start` is that of the function that owns the code, where it is
    /// known.
    case functions([AnsweredFunction], start: ImageOffset?)
    /// Nothing covers it. `isOutsideCode`: it lies behind the end of the image's code.
    case unresolved(FrameStatus, isOutsideCode: Bool = false)
}
