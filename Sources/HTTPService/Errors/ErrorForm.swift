/// The form of an error response, which depends on the protocol of its path.
enum ErrorForm {
    /// `{"error": {"code", "message"}}`
    case contract
    /// A `Status` in the encoding of the request.
    case otlp
    /// A line of text, for programs that download files.
    case text
    /// `{"title", "detail"}`
    case mozilla
    /// `{"detail", "causes"}`
    case symbolicator
    /// `{"detail"}`
    case sentry

    init(path: String) {
        // The router ignores empty segments too.
        let path = "/" + path.split(separator: "/").joined(separator: "/")
        if OTLPController.paths.contains(path) {
            self = .otlp
        } else if MozillaController.pagePaths.contains(path) {
            self = .mozilla
        } else if SymbolicatorController.serves(path) {
            self = .symbolicator
        } else if SentryController.isOwn(path) {
            self = .sentry
        } else if DebuginfodController.serves(path) || MozillaController.servesFile(at: path)
            || SymbolSourceController.serves(path)
        {
            self = .text
        } else {
            self = .contract
        }
    }
}
