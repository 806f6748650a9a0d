public import CallStacks
public import JSONText

extension PayloadReader {
    /// Returns the diagnostic of a JSON object: a `callStackTree` next to a `diagnosticMetaData`.
    ///
    /// - Parameters:
    ///   - kind: The kind of the diagnostic, if it is known from a source other than its fields.
    ///   - isSampled: Whether it is from a source of samples only, which decides about the direction
    ///     of its stacks if nothing else does.
    ///   - failure: The reason why the text around it is incomplete, for a truncated object.
    /// - Returns: `nil` if the object is truncated before its first frame.
    public func diagnostic(
        in value: JSONValue, kind: DiagnosticKind? = nil, isSampled: Bool = false,
        failure: JSONError? = nil
    ) -> ReceivedDiagnostic? {
        var reader = DiagnosticReader(
            limits: limits,
            context: DiagnosticContext(
                kind: kind, readsNames: readsNames, isOfSampler: isSampled),
            damage: failure.map { Remark($0.reason) })
        reader.read(value, as: .diagnostic)
        return reader.diagnostics.first
    }
}
