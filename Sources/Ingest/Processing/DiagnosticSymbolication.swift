public import CallStacks
public import MetricKitPayloads
public import SymbolIntake
public import Symbolication

/// Reads and symbolicates diagnostics in records, payloads and requests of clients.
public struct DiagnosticSymbolication: Sendable {
    public let reader: PayloadReader
    private let symbolicator: @Sendable (DebugFileAccess) -> Symbolicator
    private let hasBoundTokens: @Sendable (_ app: String) -> Bool
    private let metrics = SymbolicationMetrics()

    /// - Parameters:
    ///   - hasBoundTokens: Whether a token is bound to an app, so that its holder must not learn
    ///     about other apps' files.
    ///   - symbolicator: The symbolicator that uses the files included in an access.
    public init(
        reader: PayloadReader = PayloadReader(),
        hasBoundTokens: @escaping @Sendable (_ app: String) -> Bool = { _ in false },
        symbolicator: @escaping @Sendable (DebugFileAccess) -> Symbolicator
    ) {
        self.symbolicator = symbolicator
        self.hasBoundTokens = hasBoundTokens
        self.reader = reader
    }

    /// Returns the files with which a diagnostic may be symbolicated.
    ///
    /// A diagnostic sent with a token that is bound to an app belongs to that app. Any other
    /// diagnostic belongs to the app that it names, and if tokens are bound to that app, their
    /// holders can read it.
    ///
    /// - Parameters:
    ///   - app: The app that the diagnostic names.
    ///   - sender: The app that the sender's token is bound to.
    func access(of app: String?, from sender: String?) -> DebugFileAccess {
        if let sender { return .only(sender) }
        if let app, hasBoundTokens(app) { return .only(app) }
        return .everything(preferring: app)
    }

    /// Symbolicates a received diagnostic. The meaning of its offsets depends on the architecture
    /// of each image, which comes from the symbols.
    ///
    /// - Parameters:
    ///   - access: The files that may be used.
    ///   - hidden: Stored symbols that lookups ignore.
    ///   - findingCallStarts: See ``Symbolicator/findsCallStarts``.
    func symbolicate(
        _ received: ReceivedDiagnostic, with access: DebugFileAccess,
        without hidden: HiddenSymbols, findingCallStarts: Bool = false
    ) async -> SymbolicatedDiagnostic {
        await symbolicate(
            imagesOf: received.imageIDs, with: access, without: hidden,
            findingCallStarts: findingCallStarts
        ) {
            received.resolved(architectureOf: $0.architecture)
        }
    }

    /// Symbolicates a diagnostic that was read by another reader.
    ///
    /// - Parameters:
    ///   - images: The images of its frames.
    ///   - access: The files that may be used.
    ///   - hidden: Stored symbols that lookups ignore.
    ///   - findingCallStarts: See ``Symbolicator/findsCallStarts``.
    ///   - resolved: Returns the diagnostic, given the symbols of its images.
    public func symbolicate(
        imagesOf images: [ImageID], with access: DebugFileAccess,
        without hidden: HiddenSymbols = HiddenSymbols(), findingCallStarts: Bool = false,
        _ resolved: (FetchedSymbols) -> Diagnostic
    ) async -> SymbolicatedDiagnostic {
        var symbolicator = symbolicator(access).without(hidden)
        symbolicator.findsCallStarts = findingCallStarts
        let start = ContinuousClock.now
        let symbols = await symbolicator.symbols(of: images)
        let diagnostic = await symbolicator.symbolicate(
            resolved(symbols), refetchingDamagedIn: symbols)
        metrics.count(diagnostic, since: start)
        return diagnostic
    }

    /// Symbolicates received diagnostics, and returns them in order.
    func symbolicate(
        _ received: [ReceivedDiagnostic], with access: DebugFileAccess,
        without hidden: HiddenSymbols = HiddenSymbols(), findingCallStarts: Bool = false
    ) async -> [SymbolicatedDiagnostic] {
        var diagnostics: [SymbolicatedDiagnostic] = []
        for diagnostic in received {
            diagnostics.append(
                await symbolicate(
                    diagnostic, with: access, without: hidden,
                    findingCallStarts: findingCallStarts))
        }
        return diagnostics
    }
}
