import CallStacks
import Hummingbird
import HummingbirdCore
import Ingest
import Pages

/// The search, which redirects to what it finds.
struct SearchController {
    let site: PageSite
    let archive: any DiagnosticArchive

    /// The minimum length of hexadecimal digits that are treated as an image identity, in bytes.
    private static let shortestIdentity = 8

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get(site.route("/search"), use: search)
    }

    /// Redirects to the diagnostic, group or image that the text identifies, or else to the groups
    /// that contain the text.
    @Sendable private func search(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let text = (request.queryParameters.text("q") ?? "").filter {
            !$0.isWhitespace || $0 == " "
        }
        if let record = try await DiagnosticFinder(archive: archive).record(
            text, app: context.caller.app)
        {
            return try site.redirect(to: site.link("d", record.uid), from: request)
        }
        var query = DiagnosticQuery(limit: 1)
        query.app = context.caller.app
        query.fingerprint = text
        if !text.isEmpty, try await !archive.diagnostics(query).isEmpty {
            return try site.redirect(to: site.link("g", text), from: request)
        }
        if let image = ImageID(text), image.bytes.count >= Self.shortestIdentity {
            return try site.redirect(to: site.link("images", image.description), from: request)
        }
        return try site.redirect(
            to: site.link(query: [("q", text.isEmpty ? nil : text)]), from: request)
    }
}
