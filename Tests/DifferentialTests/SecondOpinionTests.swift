import DebugFiles
import SymbolStores
import Testing

/// Every debug file of the fixtures, read from the mapped bytes and through libdwarf.
@Suite("Differences between the readers of debug information")
struct SecondOpinionTests {
    @Test("both make the same index", arguments: DifferentialTests.subjects)
    func unanimity(subject: DifferentialTests.Subject) throws {
        let opened = try OpenedDebugFile(path: subject.path, architecture: subject.architecture)
        let opinion = try IndexComparison(on: opened.file, name: opened.path)
        #expect(opinion.isUnanimous)
        #expect(opinion.differences.map(\.text) == [])
    }

    @Test("libdwarf is needed for none of them")
    func declined() throws {
        let declined = try DifferentialTests.subjects.compactMap { subject in
            let opened = try OpenedDebugFile(
                path: subject.path, architecture: subject.architecture)
            return opened.file.summary().libdwarfReason.map { "\(subject.path): \($0)" }
        }
        #expect(declined == [])
    }
}
