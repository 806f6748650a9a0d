public import CallStacks
public import JSONText

extension PayloadReader {
    /// Returns the diagnostic of a JSON object: a `callStackTree` next to a `diagnosticMetaData`.
    ///
    /// - Parameters:
    ///   - kind: The kind of the diagnostic, if it is known from elsewhere than its fields.
    ///   - failure: The reason why the text around it is not whole, for an object that is cut off.
    /// - Returns: `nil` if the object is cut off before its first frame.
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
