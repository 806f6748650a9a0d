import Testing

@testable import Ingest

@Suite("Readers at a start")
struct ReaderReconciliationTests {
    private func reader(
        _ name: String, waiting count: Int64 = 0, letters: Int = 0, wasConfigured: Bool = true
    ) -> ReaderStatus {
        ReaderStatus(
            name: name, backlog: Backlog(bytes: count * 10, count: count),
            deadLetterCount: letters, wasConfigured: wasConfigured)
    }

    private func reconcile(
        _ exporters: [String], _ stored: [ReaderStatus]
    ) -> ReaderReconciliation {
        ReaderReconciliation(exporters: exporters, stored: stored) { stored, name in
            stored.hasSuffix("/") && stored.dropLast() == name
        }
    }

    private func renames(_ reconciliation: ReaderReconciliation) -> [String] {
        reconciliation.renames.map { "\($0.old.name) > \($0.new)" }
    }

    @Test("exporters with unchanged names keep their cursors")
    func unchanged() {
        let reconciliation = reconcile(["a", "b"], [reader("a", waiting: 5), reader("b")])
        #expect(reconciliation.renames.isEmpty)
        #expect(reconciliation.removals.isEmpty)
        #expect(reconciliation.orphans.isEmpty)
        #expect(reconciliation.additions.isEmpty)
    }

    @Test("a single renamed exporter inherits its cursor")
    func renamed() {
        let reconciliation = reconcile(["new", "b"], [reader("old", waiting: 50), reader("b")])
        #expect(renames(reconciliation) == ["old > new"])
        #expect(reconciliation.orphans.isEmpty)
        #expect(reconciliation.additions.isEmpty)
    }

    @Test("a reader without a backlog is removed")
    func caughtUp() {
        let reconciliation = reconcile(["new"], [reader("old")])
        #expect(reconciliation.removals == ["old"])
        #expect(reconciliation.additions == ["new"])
    }

    @Test("two exporters renamed at once are not matched")
    func twoRenamed() {
        let reconciliation = reconcile(
            ["c", "d"], [reader("a", waiting: 1), reader("b", waiting: 2)])
        #expect(reconciliation.renames.isEmpty)
        #expect(reconciliation.orphans.map(\.name) == ["a", "b"])
        #expect(reconciliation.additions == ["c", "d"])
        let oneOfTwo = reconcile(["c", "d"], [reader("a", waiting: 1)])
        #expect(oneOfTwo.orphans.map(\.name) == ["a"])
        let twoForOne = reconcile(["c"], [reader("a", waiting: 1), reader("b", waiting: 2)])
        #expect(twoForOne.orphans.map(\.name) == ["a", "b"])
        #expect(twoForOne.additions == ["c"])
    }

    @Test("swapped names are known names")
    func swapped() {
        let reconciliation = reconcile(
            ["b", "a"], [reader("a", waiting: 1), reader("b", waiting: 2)])
        #expect(
            reconciliation
                == reconcile(["b", "a"], [reader("a", waiting: 1), reader("b", waiting: 2)]))
        #expect(reconciliation.renames.isEmpty)
        #expect(reconciliation.orphans.isEmpty)
    }

    @Test("a removed exporter with a backlog stays for its return")
    func removed() {
        let reconciliation = reconcile(["b"], [reader("a", waiting: 1), reader("b")])
        #expect(reconciliation.orphans.map(\.name) == ["a"])
        let later = reconcile(
            ["b", "a"], [reader("a", waiting: 9, wasConfigured: false), reader("b")])
        #expect(later.orphans.isEmpty)
        #expect(later.additions.isEmpty)
    }

    @Test("another spelling of a name is the same exporter, however many are added")
    func spelling() {
        let reconciliation = reconcile(
            ["x", "y", "z"], [reader("x/", waiting: 5), reader("y/"), reader("q", waiting: 1)])
        #expect(renames(reconciliation) == ["x/ > x", "y/ > y", "q > z"])
        #expect(reconciliation.additions.isEmpty)
    }

    @Test("an exporter added while another was just removed is not an older orphan")
    func olderOrphan() {
        let old = reader("old", waiting: 5, wasConfigured: false)
        let reconciliation = reconcile(["c"], [old, reader("b")])
        #expect(reconciliation.orphans.map(\.name) == ["old"])
        #expect(reconciliation.removals == ["b"])
        #expect(reconciliation.additions == ["c"])
        #expect(renames(reconcile(["c"], [old])) == ["old > c"])
        #expect(renames(reconcile(["c"], [old, reader("b", waiting: 1)])) == ["b > c"])
    }

    @Test("dead letters follow the renamed exporter")
    func letters() {
        #expect(renames(reconcile(["new"], [reader("old", letters: 3)])) == ["old > new"])
        let letterless = ReaderStatus(
            name: "gone", hasCursor: false, deadLetterCount: 2, wasConfigured: false)
        let reconciliation = reconcile(["new"], [letterless])
        #expect(reconciliation.renames.isEmpty)
        #expect(reconciliation.removals.isEmpty)
    }

    @Test("without exporters every backlog stays")
    func none() {
        let reconciliation = reconcile([], [reader("a", waiting: 4), reader("b")])
        #expect(reconciliation.orphans.map(\.name) == ["a"])
        #expect(reconciliation.removals == ["b"])
        let unsent = reconcile([], [reader(JournalReaders.unsent, waiting: 4)])
        #expect(unsent.orphans.isEmpty)
    }
}
