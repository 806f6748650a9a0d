import CallStacks

/// The texts that answers need, whichever image they come from: answers have their numbers.
struct AnswerTexts {
    var names: LinkageNames
    var files = SourceFiles()

    init(known: KnownNames? = nil) { names = LinkageNames(known: known) }
}

/// Source files, each once.
struct SourceFiles {
    private(set) var all: [SourceFile] = []
    private var numbers: [SourceFile: Int] = [:]

    /// The number of a file.
    mutating func number(of file: SourceFile) -> Int {
        if let known = numbers[file] { return known }
        numbers[file] = all.count
        all.append(file)
        return all.count - 1
    }
}
