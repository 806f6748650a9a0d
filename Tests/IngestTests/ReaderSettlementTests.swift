import Testing

@testable import Ingest

@Suite("Readers at a start")
struct ReaderSettlementTests {
    private func reader(
        _ name: String, waiting count: Int64 = 0, letters: Int = 0, wasConfigured: Bool = true
    ) -> ReaderStatus {
        ReaderStatus(
            name: name, waiting: Backlog(bytes: count * 10, count: count),
            deadLetterCount: letters, wasConfigured: wasConfigured)
    }

    private func settle(
        _ exporters: [String], _ stored: [ReaderStatus]
    ) -> ReaderSettlement {
        ReaderSettlement(exporters: exporters, stored: stored) { stored, name in
            stored.hasSuffix("/") && stored.dropLast() == name
        }
    }

    private func renames(_ settlement: ReaderSettlement) -> [String] {
        settlement.renames.map { "\($0.old.name) > \($0.new)" }
    }

    @Test("exporters that are configured as before keep their places")
    func unchanged() {
        let settlement = settle(["a", "b"], [reader("a", waiting: 5), reader("b")])
        #expect(settlement.renames.isEmpty)
        #expect(settlement.removals.isEmpty)
        #expect(settlement.orphans.isEmpty)
        #expect(settlement.newcomers.isEmpty)
    }

    @Test("a single exporter that was renamed inherits its place")
    func renamed() {
        let settlement = settle(["new", "b"], [reader("old", waiting: 50), reader("b")])
        #expect(renames(settlement) == ["old > new"])
        #expect(settlement.orphans.isEmpty)
        #expect(settlement.newcomers.isEmpty)
    }

    @Test("a reader for which nothing waits goes")
    func caughtUp() {
        let settlement = settle(["new"], [reader("old")])
        #expect(settlement.removals == ["old"])
        #expect(settlement.newcomers == ["new"])
    }

    @Test("two that were renamed at once are not guessed")
    func twoRenamed() {
        let settlement = settle(["c", "d"], [reader("a", waiting: 1), reader("b", waiting: 2)])
        #expect(settlement.renames.isEmpty)
        #expect(settlement.orphans.map(\.name) == ["a", "b"])
        #expect(settlement.newcomers == ["c", "d"])
        let oneOfTwo = settle(["c", "d"], [reader("a", waiting: 1)])
        #expect(oneOfTwo.orphans.map(\.name) == ["a"])
        let twoForOne = settle(["c"], [reader("a", waiting: 1), reader("b", waiting: 2)])
        #expect(twoForOne.orphans.map(\.name) == ["a", "b"])
        #expect(twoForOne.newcomers == ["c"])
    }

    @Test("names that are swapped are names that are known")
    func swapped() {
        let settlement = settle(["b", "a"], [reader("a", waiting: 1), reader("b", waiting: 2)])
        #expect(
            settlement == settle(["b", "a"], [reader("a", waiting: 1), reader("b", waiting: 2)]))
        #expect(settlement.renames.isEmpty)
        #expect(settlement.orphans.isEmpty)
    }

    @Test("one that was removed stays for when it comes back")
    func removed() {
        let settlement = settle(["b"], [reader("a", waiting: 1), reader("b")])
        #expect(settlement.orphans.map(\.name) == ["a"])
        let later = settle(
            ["b", "a"], [reader("a", waiting: 9, wasConfigured: false), reader("b")])
        #expect(later.orphans.isEmpty)
        #expect(later.newcomers.isEmpty)
    }

    @Test("another spelling of a name is the same exporter, however many are new")
    func spelling() {
        let settlement = settle(
            ["x", "y", "z"], [reader("x/", waiting: 5), reader("y/"), reader("q", waiting: 1)])
        #expect(renames(settlement) == ["x/ > x", "y/ > y", "q > z"])
        #expect(settlement.newcomers.isEmpty)
    }

    @Test("an exporter that is new while another has just gone is not an older orphan")
    func olderOrphan() {
        let old = reader("old", waiting: 5, wasConfigured: false)
        let settlement = settle(["c"], [old, reader("b")])
        #expect(settlement.orphans.map(\.name) == ["old"])
        #expect(settlement.removals == ["b"])
        #expect(settlement.newcomers == ["c"])
        #expect(renames(settle(["c"], [old])) == ["old > c"])
        #expect(renames(settle(["c"], [old, reader("b", waiting: 1)])) == ["b > c"])
    }

    @Test("dead letters go with the name")
    func letters() {
        #expect(renames(settle(["new"], [reader("old", letters: 3)])) == ["old > new"])
        let letterless = ReaderStatus(
            name: "gone", hasPlace: false, deadLetterCount: 2, wasConfigured: false)
        let settlement = settle(["new"], [letterless])
        #expect(settlement.renames.isEmpty)
        #expect(settlement.removals.isEmpty)
    }

    @Test("without exporters what waits stays")
    func none() {
        let settlement = settle([], [reader("a", waiting: 4), reader("b")])
        #expect(settlement.orphans.map(\.name) == ["a"])
        #expect(settlement.removals == ["b"])
        let unsent = settle([], [reader(JournalReaders.unsent, waiting: 4)])
        #expect(unsent.orphans.isEmpty)
    }
}
