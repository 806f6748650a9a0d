import Ingest

/// The first and the last of some diagnostics, by address.
struct DiagnosticRange {
    private(set) var first: DiagnosticRecord
    private(set) var last: DiagnosticRecord

    init(_ diagnostic: DiagnosticRecord) {
        first = diagnostic
        last = diagnostic
    }

    fileprivate mutating func add(_ diagnostic: DiagnosticRecord) {
        if diagnostic.address < first.address { first = diagnostic }
        if diagnostic.address > last.address { last = diagnostic }
    }
}

extension DiagnosticRange? {
    mutating func add(_ diagnostic: DiagnosticRecord) {
        if self == nil { self = DiagnosticRange(diagnostic) } else { self?.add(diagnostic) }
    }
}
