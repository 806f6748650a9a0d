import CallStacks

/// What the symbols of one image answered to all of its offsets.
struct ImageAnswers {
    var status: ImageReport.Status
    var architecture: String?
    /// One for each offset of the request, or empty where there are no symbols to ask.
    var answers: [OffsetAnswer] = []

    /// The answer to the offset at `position` of the request.
    func answer(at position: Int) -> OffsetAnswer {
        if position < answers.count { return answers[position] }
        return .unresolved(status == .corrupt ? .corruptIndex : .missingImage)
    }
}

/// What became of one offset.
enum OffsetAnswer {
    /// Innermost first, never empty.
    case functions([AnsweredFunction], start: ImageOffset)
    /// Nothing covers it. `isOutsideCode`: it lies behind the end of the image's code.
    case unresolved(FrameStatus, isOutsideCode: Bool = false)
}

/// One function of an answer, in the form that a row shows it.
struct AnsweredFunction {
    var status: FrameStatus
    var shown: String?
    var linkageName: String?
    var file: SourceFile?
    var line: UInt32
    var column: UInt32
    var isApproximate: Bool
    var isInlined: Bool
    var isCompilerGenerated: Bool
}

extension ImageAnswers {
    /// Looks up all offsets of a request. Symbols that do not hold together answer nothing at all.
    init(
        to request: SymbolicationPlan.Request, from supply: SymbolSupply,
        _ names: inout FunctionNames
    ) {
        switch supply {
        case .missing:
            self.init(status: .missing)
        case .corrupt:
            self.init(status: .corrupt)
        case .found(let symbols):
            let architecture = symbols.architecture?.name
            do {
                let answers = try request.offsets.map { try symbols.answer(at: $0, &names) }
                let status: ImageReport.Status =
                    symbols.hasDebugInformation ? .found : .noDebugInfo
                self.init(status: status, architecture: architecture, answers: answers)
            } catch {
                self.init(status: .corrupt, architecture: architecture)
            }
        }
    }
}

extension ImageSymbols {
    fileprivate func answer(
        at offset: ImageOffset, _ names: inout FunctionNames
    ) throws -> OffsetAnswer {
        guard let chain = try functions(at: offset), !chain.frames.isEmpty else {
            let isOutside = codeEnd.map { offset >= $0 } ?? false
            let status: FrameStatus =
                hasDebugInformation || isOutside ? .notFound : .noDebugInfo
            return .unresolved(status, isOutsideCode: isOutside)
        }
        var functions: [AnsweredFunction] = []
        functions.reserveCapacity(chain.frames.count)
        for (depth, frame) in chain.frames.enumerated() {
            let isOutermost = depth == chain.frames.count - 1
            functions.append(
                try function(frame, at: offset, depth: depth, isInlined: !isOutermost, &names))
        }
        return .functions(functions, start: chain.start)
    }

    private func function(
        _ frame: SourceFrame, at offset: ImageOffset, depth: Int, isInlined: Bool,
        _ names: inout FunctionNames
    ) throws -> AnsweredFunction {
        let name = frame.function.map { names.name(of: $0) }
        var place = frame
        var isApproximate = false
        if !frame.hasRealLine, let nearest = try nearestLine(at: offset, depth: depth),
            nearest.hasRealLine
        {
            place = nearest
            isApproximate = true
        }
        let isNamed = frame.function != nil
        let status: FrameStatus = place.hasRealLine ? .symbolicated : .symbolOnly
        return AnsweredFunction(
            status: isNamed ? status : .notFound,
            shown: name?.shown, linkageName: frame.function,
            file: place.hasRealFile ? place.file : nil, line: place.hasRealFile ? place.line : 0,
            column: place.hasRealFile ? place.column : 0, isApproximate: isApproximate,
            isInlined: isInlined,
            isCompilerGenerated: name?.isCompilerGenerated == true || !frame.hasWrittenFile)
    }
}

extension SourceFrame {
    /// What compilers write in place of a file's name for code that nobody wrote.
    private static let compilerGenerated = "<compiler-generated>"

    var hasRealLine: Bool { line > 0 && hasRealFile }

    fileprivate var hasRealFile: Bool { file.map { $0.name != Self.compilerGenerated } ?? false }

    /// Whether the file is one that somebody wrote, or not known.
    var hasWrittenFile: Bool { file?.name != Self.compilerGenerated }
}
