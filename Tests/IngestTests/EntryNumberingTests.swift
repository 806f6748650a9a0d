import CallStacks
import Testing

@testable import Ingest

@Suite("Numbers of moved entries")
struct EntryNumberingTests {
    private let numbering = EntryNumbering(of: [3, 4, 9], after: 1_000)

    @Test("entries keep their order and have no gaps")
    func order() {
        #expect([3, 4, 9].map { numbering[$0] } == [1_001, 1_002, 1_003])
        #expect([0, 2, 5, 10].allSatisfy { numbering[$0] == nil })
        #expect((0...3).map { numbering.last(ofFirst: $0) } == [0, 3, 4, 9])
        let address = RecordAddress(entry: 9, position: 2)
        #expect(numbering[address] == RecordAddress(entry: 1_003, position: 2))
        #expect(numbering.original(of: RecordAddress(entry: 1_003, position: 2)) == address)
        #expect(numbering.original(of: RecordAddress(entry: 1_004, position: 0)) == nil)
        #expect(numbering.original(of: RecordAddress(entry: 1_000, position: 0)) == nil)
    }

    @Test("a cursor has passed the same entries")
    func cursors() {
        #expect(
            [0, 2, 3, 5, 8, 9, 12].map { numbering.cursor($0) }
                == [1_000, 1_000, 1_001, 1_002, 1_002, 1_003, 1_003])
        #expect(EntryNumbering(of: [], after: 7).cursor(5) == 7)
    }

    @Test("an entry that sends a diagnostic again refers to its new address, or to none")
    func revisions() throws {
        func reference(to address: RecordAddress, _ kind: EntryKind = .revision) throws -> [UInt8] {
            let key = try #require(EntryKey(bytes: [UInt8](repeating: 1, count: 16)))
            let body = RevisionReference.address(address).body
            return numbering.draft(
                of: JournalEntry(
                    number: 9,
                    draft: JournalDraft(
                        key: key, arrival: UnixTime(rawValue: 1), kind: kind, body: body))
            ).body
        }
        let (stored, removed) = (
            RecordAddress(entry: 4, position: 1), RecordAddress(entry: 5, position: 0)
        )
        #expect(
            RevisionReference(try reference(to: stored))
                == .address(RecordAddress(entry: 1_002, position: 1)))
        #expect(
            RevisionReference(try reference(to: removed))
                == .address(RecordAddress(entry: 0, position: 0)))
        #expect(
            RevisionReference(try reference(to: stored, .logs)) == .address(stored),
            "other bodies are not changed")
    }
}
