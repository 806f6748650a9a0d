import Hummingbird

/// What is known of a request besides its head and body.
struct CallerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Who asks; set when the token has been checked.
    var caller = Caller.anonymous

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
    }
}
