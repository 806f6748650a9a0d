import CallStacks

/// The names and files of all lookups of a diagnostic; results refer to them by number.
struct LookupTables {
    var names: LinkageNames
    var files = SourceFiles()

    init(known: DemangledNameCache? = nil) { names = LinkageNames(known: known) }
}

/// Distinct source files by number.
struct SourceFiles {
    private(set) var all: [SourceFile] = []
    private var numbers: [SourceFile: Int] = [:]

    mutating func number(of file: SourceFile) -> Int {
        if let known = numbers[file] { return known }
        numbers[file] = all.count
        all.append(file)
        return all.count - 1
    }
}
