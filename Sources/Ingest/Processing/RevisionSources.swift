/// The diagnostics that a run sends again, and the records of their entries, each read once for the
/// whole run.
///
/// Not included are diagnostics to which an earlier version of the program referred by identifier,
/// and entries beyond a total size. If any of the entries is temporarily unreadable, none are
/// included.
struct RevisionSources {
    private var diagnostics: [RecordAddress: DiagnosticRecord] = [:]
    private var records: [Int64: EntryRecords] = [:]

    /// - Parameter bytes: The maximum size of the bodies of entries.
    init(
        of run: [JournalEntry], for processor: EntryProcessor, bytes: Int
    ) async throws(JournalError) {
        let addresses = run.compactMap(\.revised?.address)
        guard !addresses.isEmpty else { return }
        for diagnostic in try await processor.revisions.diagnosticsToRevise(at: addresses) {
            diagnostics[diagnostic.address] = diagnostic
        }
        let numbers = Set(diagnostics.keys.map(\.entry)).sorted()
        do throws(JournalError) {
            for entry in try await processor.journal.entries(numbers, bytes: bytes) {
                records[entry.number] = processor.records.records(of: entry)
            }
        } catch {
            guard error.reason == .unavailable else { throw error }
        }
    }

    func diagnostic(_ reference: RevisionReference) -> DiagnosticRecord? {
        reference.address.flatMap { diagnostics[$0] }
    }

    func records(ofEntry number: Int64) -> EntryRecords? { records[number] }
}

extension JournalEntry {
    /// The diagnostic that the entry sends again, or `nil` if it is of another kind.
    var revised: RevisionReference? {
        draft.kind == .revision ? RevisionReference(draft.body) : nil
    }
}

extension RevisionReference {
    fileprivate var address: RecordAddress? {
        guard case .address(let address) = self else { return nil }
        return address
    }
}
