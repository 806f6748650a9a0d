import DebugFiles
import SymbolIndexes
import SymbolStores
import Testing

/// Every debug file of the fixtures, indexed by one thread and by several.
@Suite("Indexing by several threads")
struct ThreadTests {
    @Test("any number of threads makes the same bytes", arguments: DifferentialTests.subjects)
    func sameBytes(subject: DifferentialTests.Subject) async throws {
        let opened = try OpenedDebugFile(path: subject.path, architecture: subject.architecture)
        let one = try SymbolIndex.bytes(of: opened.file, name: opened.path)
        for threads in [1, 2, 8] {
            let several = try await SymbolIndex.bytes(
                of: opened.file, name: opened.path, threads: threads)
            #expect(several == one)
        }
    }
}
