import TestSupport
import Testing

extension TestCluster {
    /// Checks that everything acknowledged arrives, each content under its own revision and no
    /// revision left out, and everything with the symbols that were uploaded.
    ///
    /// The nodes may take long to finish what many killed ones have left, as long as records keep
    /// arriving.
    func expectEverything(of ledger: Ledger) async {
        let known = Set(ledger.images)
        let crashes = ledger.crashes.filter { known.contains($0.key) }.flatMap(\.value)
        var receivedCount: Int
        var isComplete: Bool
        repeat {
            receivedCount = backend.count
            isComplete = await eventually {
                backend.missing(of: ledger.ids).isEmpty && ledger.uids.isSubset(of: backend.uids)
                    && backend.rawOnes(of: crashes).isEmpty
                    && backend.incomplete(of: ledger.diagnosticIDs).isEmpty
            }
        } while !isComplete && backend.count > receivedCount
        for kind in ["plain", "crash", "span", "gauge"] {
            #expect(ledger.ids.contains { $0.contains("-\(kind)-") }, "some \(kind) was sent")
        }
        #expect(backend.missing(of: ledger.ids) == [])
        #expect(ledger.uids.subtracting(backend.uids) == [])
        #expect(backend.rawOnes(of: crashes) == [], "symbols that were uploaded to any node")
        #expect(backend.conflicts == [])
        #expect(backend.incomplete(of: ledger.diagnosticIDs) == [:], "revisions 1 to the last")
        #expect(backend.damagedCount == 0)
        #expect(backend.ambiguous(of: ledger.diagnosticIDs) == [])
    }

    /// Returns a line about what a test did.
    func summary(of ledger: Ledger) -> String {
        """
        \(ledger.requestCount) requests acknowledged, \(ledger.count) records and payloads, \
        \(backend.count) copies received, \(backend.revisedCount) of revisions, \
        \(ledger.images.count) uploads; \(backend.missing(of: ledger.ids).count) lost
        """
    }
}
