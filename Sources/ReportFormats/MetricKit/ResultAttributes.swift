package import CallStacks
import StackRendering
import Symbolication

/// The attributes that the result of symbolication changes in a log record, besides the stack. The
/// service and `symbolicate --format same` write the same ones.
package struct ResultAttributes {
    /// The names that receivers of records can choose.
    package struct Names {
        package var exceptionType = AttributeKeys.exceptionType
        package var exceptionMessage = AttributeKeys.exceptionMessage
        package var failed = AttributeKeys.failed
        package var error = AttributeKeys.error

        package init() {}
    }

    /// The new content of an attribute.
    package enum Change {
        case text(String)
        /// A text for a record that has no value.
        case missingText(String)
        case number(Int)
        case flag(Bool)
        case texts([String])
        /// The received value does not apply to the result.
        case removal
    }

    /// The changes by attribute, in the order in which new attributes are added.
    package private(set) var changes: [(key: String, change: Change)] = []

    /// - Parameter diagnostics: The diagnostics of the record. The first one provides the exception
    ///   and the culprit.
    package init(of diagnostics: [SymbolicatedDiagnostic], names: Names = Names()) {
        guard let first = diagnostics.first else { return }
        changes.reserveCapacity(Self.largestCount)
        addException(of: first, names)
        addOutcome(of: diagnostics, names)
        addCulprit(of: first)
    }

    /// The number of changes of a crash with a culprit.
    private static let largestCount = 14

    private mutating func add(_ key: String, _ change: Change) { changes.append((key, change)) }

    /// Adds the exception of a crash. Other diagnostics have none, even if their report names one.
    private mutating func addException(of diagnostic: SymbolicatedDiagnostic, _ names: Names) {
        guard [.crash, .unknown].contains(diagnostic.kind) else { return }
        if let name = diagnostic.exceptionName { add(names.exceptionType, .missingText(name)) }
        if let message = diagnostic.exceptionMessage {
            add(names.exceptionMessage, .missingText(message))
        }
    }

    private mutating func addOutcome(of diagnostics: [SymbolicatedDiagnostic], _ names: Names) {
        let status = SymbolicatedDiagnostic.Status(of: diagnostics)
        let counts = diagnostics.map(\.frameCounts)
        let reasons = diagnostics.compactMap(\.rawReasons)
        add(names.failed, .flag(status == .raw))
        // An earlier processor may have failed.
        add(names.error, reasons.isEmpty ? .removal : .text(reasons.joined(separator: "; ")))
        add(AttributeKeys.status, .text(status.rawValue))
        add(AttributeKeys.frames, .number(counts.reduce(0) { $0 + $1.total }))
        add(AttributeKeys.symbolicatedFrames, .number(counts.reduce(0) { $0 + $1.resolved }))
        add(AttributeKeys.missingImages, .texts(diagnostics.flatMap(\.missingImages)))
    }

    private mutating func addCulprit(of diagnostic: SymbolicatedDiagnostic) {
        add(AttributeKeys.fingerprint, .text(diagnostic.fingerprint))
        guard let frame = diagnostic.culpritIndex.map({ diagnostic.frames[$0] }) else { return }
        if let culprit = diagnostic.culprit { add(AttributeKeys.culprit, .text(culprit)) }
        if let function = frame.codeFunctionName { add(AttributeKeys.function, .text(function)) }
        guard let file = frame.file else { return }
        add(AttributeKeys.path, .text(file.path))
        // A sender's line belongs to another file.
        for (key, number) in [
            (AttributeKeys.line, frame.line), (AttributeKeys.column, frame.column),
        ] {
            add(key, number > 0 ? .number(Int(number)) : .removal)
        }
    }
}

extension SymbolicatedDiagnostic.Status {
    /// The status of a record with several diagnostics: raw only if all of them are.
    package init(of diagnostics: [SymbolicatedDiagnostic]) {
        let first = diagnostics.first?.status
        let areEqual = diagnostics.allSatisfy { $0.status == first }
        self = areEqual ? first ?? .partial : .partial
    }
}
