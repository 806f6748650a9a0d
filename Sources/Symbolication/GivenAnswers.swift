import CallStacks

/// What a report itself says of its frames, where that is more than symbols tell.
///
/// A function with a line is worth more than one without, a function that symbols name more than a
/// name of the report, and a name of the report more than an address.
struct GivenAnswers {
    private var answers: [Int: OffsetAnswer] = [:]
    /// Frames whose name is probably that of the function before the caller: a return address at the
    /// very start of a function follows a call that never returns.
    private(set) var suspects: [Int] = []

    /// - Parameter answerAt: What symbols say of a frame.
    init(of tree: CallStackTree, _ texts: inout AnswerTexts, answerAt: (Int) -> OffsetAnswer) {
        for (index, functions) in tree.given.sorted(by: { $0.key < $1.key })
        where tree.frames.indices.contains(index) && !functions.isEmpty {
            let own = answerAt(index)
            guard own.worth < Self.worth(of: functions) else { continue }
            answers[index] = Self.answer(functions, status: own.status, &texts)
            if functions.last?.distance == 0, case .returnAddress? = tree.frames[index].site {
                suspects.append(index)
            }
        }
    }

    /// The frames that have what the report says.
    var frames: [Int] { answers.keys.sorted() }

    subscript(frame: Int) -> OffsetAnswer? { answers[frame] }

    private static func worth(of functions: [GivenFunction]) -> Int {
        functions.contains { $0.file != nil } ? 3 : 1
    }

    /// The functions with their own distances: they hold in an image that is not known, too.
    private static func answer(
        _ functions: [GivenFunction], status: FrameStatus, _ texts: inout AnswerTexts
    ) -> OffsetAnswer {
        let answered = functions.map { function in
            var answer = AnsweredFunction(
                status: status, name: texts.names.number(of: function.name),
                file: function.file.map { texts.files.number(of: $0) }, line: function.line,
                column: function.column, isApproximate: false, isInlined: function.isInlined,
                isWritten: true)
            answer.givenDistance = function.distance
            return answer
        }
        return .functions(answered, start: nil)
    }
}

extension OffsetAnswer {
    fileprivate var worth: Int {
        switch self {
        case .unresolved: 0
        case .functions(let functions, _):
            functions.contains { $0.file != nil && $0.line > 0 } ? 3 : 2
        }
    }

    fileprivate var status: FrameStatus {
        switch self {
        case .unresolved(let status, _): status
        case .functions(let functions, _): functions.last?.status ?? .notFound
        }
    }
}
