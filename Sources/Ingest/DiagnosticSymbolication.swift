public import CallStacks
public import MetricKitPayloads
public import SymbolIntake
public import Symbolication

/// Reads diagnostics and symbolicates them: what all ways into the service share.
public struct DiagnosticSymbolication: Sendable {
    public let reader: PayloadReader
    private let symbolicator: @Sendable (SymbolAccess) -> Symbolicator
    private let hasBoundTokens: @Sendable (_ app: String) -> Bool
    private let metrics = SymbolicationMetrics()

    /// - Parameters:
    ///   - hasBoundTokens: Whether a token is bound to an app, so that its readers may see nothing of
    ///     other apps' files.
    ///   - symbolicator: The one that uses what an access includes.
    public init(
        reader: PayloadReader = PayloadReader(),
        hasBoundTokens: @escaping @Sendable (_ app: String) -> Bool = { _ in false },
        symbolicator: @escaping @Sendable (SymbolAccess) -> Symbolicator
    ) {
        self.symbolicator = symbolicator
        self.hasBoundTokens = hasBoundTokens
        self.reader = reader
    }

    /// The files that a diagnostic may be symbolicated with.
    ///
    /// What a token that is bound to an app sends is that app's. What others send is that of the app
    /// that it names; if tokens are bound to this one, their holders will read it.
    ///
    /// - Parameters:
    ///   - app: The app that the diagnostic names.
    ///   - sender: The app that the sender's token is bound to.
    func access(of app: String?, from sender: String?) -> SymbolAccess {
        if let sender { return .only(sender) }
        if let app, hasBoundTokens(app) { return .only(app) }
        return .everything(preferring: app)
    }

    /// The diagnostic with a status for each frame. What an offset means depends on the architecture
    /// of its image, which its symbols tell.
    ///
    /// - Parameters:
    ///   - access: The files that may be used.
    ///   - findingCallStarts: As in ``Symbolicator/findsCallStarts``.
    func symbolicate(
        _ received: ReceivedDiagnostic, with access: SymbolAccess, findingCallStarts: Bool = false
    ) async -> SymbolicatedDiagnostic {
        await symbolicate(
            imagesOf: received.imageIDs, with: access, findingCallStarts: findingCallStarts
        ) {
            received.resolved(architectureOf: $0)
        }
    }

    /// A diagnostic that comes from another reader.
    ///
    /// - Parameters:
    ///   - images: Those that its frames name.
    ///   - access: The files that may be used.
    ///   - findingCallStarts: As above.
    ///   - resolved: The diagnostic, given the architectures of its images.
    public func symbolicate(
        imagesOf images: [ImageID], with access: SymbolAccess, findingCallStarts: Bool = false,
        _ resolved: ((ImageID) -> Architecture?) -> Diagnostic
    ) async -> SymbolicatedDiagnostic {
        var symbolicator = symbolicator(access)
        symbolicator.findsCallStarts = findingCallStarts
        let start = ContinuousClock.now
        let symbols = await symbolicator.symbols(of: images)
        let answer = await symbolicator.symbolicate(
            resolved(symbols.architecture(of:)), mending: symbols)
        metrics.count(answer, since: start)
        return answer
    }

    /// All of these, in their order.
    func symbolicate(
        _ received: [ReceivedDiagnostic], with access: SymbolAccess
    ) async -> [SymbolicatedDiagnostic] {
        var answers: [SymbolicatedDiagnostic] = []
        for diagnostic in received { answers.append(await symbolicate(diagnostic, with: access)) }
        return answers
    }
}
