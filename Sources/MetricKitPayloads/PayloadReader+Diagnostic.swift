public import CallStacks
public import JSONText

extension PayloadReader {
    /// The diagnostic that a JSON object is: a `callStackTree` beside a `diagnosticMetaData`.
    ///
    /// - Parameters:
    ///   - kind: What it is about, where something else than its fields says so.
    ///   - failure: Why the text around it is not whole; noted where that cuts the object.
    /// - Returns: `nil` for an object that is cut before its first frame.
    public func diagnostic(
        in value: JSONValue, kind: DiagnosticKind? = nil, failure: JSONError? = nil
    ) -> ReceivedDiagnostic? {
        var reader = DiagnosticReader(
            limits: limits, context: DiagnosticContext(kind: kind, readsNames: readsNames),
            damage: failure.map { Remark($0.reason) })
        reader.read(value, as: .diagnostic)
        return reader.diagnostics.first
    }
}
