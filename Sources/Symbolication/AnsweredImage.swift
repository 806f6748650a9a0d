public import CallStacks

/// What symbols that are kept elsewhere say of some offsets of one image.
public struct AnsweredImage: Sendable {
    public var architecture: Architecture?
    /// Whether there is no debug information, only names.
    public var isSymbolTableOnly: Bool
    /// Linkage names, by the numbers that the functions of ``answers`` have.
    public var names: [String]
    /// Source files, likewise.
    public var files: [SourceFile]
    public var answers: [ImageOffset: ExactAnswer]

    public init(
        architecture: Architecture?, isSymbolTableOnly: Bool, names: [String] = [],
        files: [SourceFile] = [], answers: [ImageOffset: ExactAnswer] = [:]
    ) {
        self.architecture = architecture
        self.isSymbolTableOnly = isSymbolTableOnly
        self.names = names
        self.files = files
        self.answers = answers
    }

    /// Whether one of its answers says that the symbols do not hold together; then none is believed.
    var isCorrupt: Bool { answers.values.contains { $0.status == .corruptIndex } }

    /// The answer to one offset, with the numbers that its texts have among those of all images.
    func answer(at offset: ImageOffset, _ texts: inout AnswerTexts) -> OffsetAnswer {
        guard let answer = answers[offset] else { return .unresolved(.notFound) }
        guard !answer.functions.isEmpty else {
            return .unresolved(answer.status, isOutsideCode: answer.isOutsideCode)
        }
        var functions = answer.functions
        for place in functions.indices {
            functions[place].name = functions[place].name.map { texts.names.number(of: names[$0]) }
            functions[place].file = functions[place].file.map { texts.files.number(of: files[$0]) }
        }
        return .functions(functions, start: answer.functionStart)
    }
}
