public import CallStacks
public import MetricKitPayloads
public import Symbolication

/// Reads diagnostics and symbolicates them: what all ways into the service share.
public struct DiagnosticSymbolication: Sendable {
    public let reader: PayloadReader
    private let symbolicator: Symbolicator
    private let metrics = SymbolicationMetrics()

    public init(symbolicator: Symbolicator, reader: PayloadReader = PayloadReader()) {
        self.symbolicator = symbolicator
        self.reader = reader
    }

    /// The diagnostic with a status for each frame. What an offset means depends on the architecture
    /// of its image, which its symbols tell.
    ///
    /// - Parameter findingCallStarts: As in ``Symbolicator/findsCallStarts``.
    public func symbolicate(
        _ received: ReceivedDiagnostic, findingCallStarts: Bool = false
    ) async -> SymbolicatedDiagnostic {
        await symbolicate(imagesOf: received.imageIDs, findingCallStarts: findingCallStarts) {
            received.resolved(architectureOf: $0)
        }
    }

    /// A diagnostic that comes from another reader.
    ///
    /// - Parameters:
    ///   - images: Those that its frames name.
    ///   - findingCallStarts: As above.
    ///   - resolved: The diagnostic, given the architectures of its images.
    public func symbolicate(
        imagesOf images: [ImageID], findingCallStarts: Bool = false,
        _ resolved: ((ImageID) -> Architecture?) -> Diagnostic
    ) async -> SymbolicatedDiagnostic {
        var symbolicator = symbolicator
        symbolicator.findsCallStarts = findingCallStarts
        let start = ContinuousClock.now
        let symbols = await symbolicator.symbols(of: images)
        let answer = await symbolicator.symbolicate(
            resolved(symbols.architecture(of:)), mending: symbols)
        metrics.count(answer, since: start)
        return answer
    }

    /// All of these, in their order.
    func symbolicate(_ received: [ReceivedDiagnostic]) async -> [SymbolicatedDiagnostic] {
        var answers: [SymbolicatedDiagnostic] = []
        for diagnostic in received { answers.append(await symbolicate(diagnostic)) }
        return answers
    }
}
