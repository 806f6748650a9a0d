import CallStacks
import FlameGraphs
import Hummingbird
import HummingbirdCore
import Ingest
import Pages
import Problems

/// The page with the merged stacks of a version, alone or compared with another version.
struct FlamePageController {
    let site: PageSite
    let groups: any GroupArchive
    let flames: MergedFlames

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get(site.route("/flame"), use: show)
    }

    @Sendable private func show(
        _ request: Request, _ context: HTTPRequestContext
    ) async throws -> Response {
        let parameters = request.queryParameters
        var choice = FlamePage.Choice()
        choice.app = try await groups.app(
            sentAs: try context.caller.app(requested: parameters.text("app")), by: context.caller)
        choice.version = try await groups.version(
            sentAs: parameters.text("version"), of: choice.app)
        choice.against = try await groups.version(
            sentAs: parameters.text("against"), of: choice.app)
        choice.kind = try parameters.choice("kind") ?? .hang
        guard choice.kind.isSampled else { throw FlameController.notSampled(choice.kind) }
        let options = try FlameViewOptions(merged: parameters)
        if let format: FlameController.Format = try parameters.choice("download"),
            let subject = choice.subject
        {
            let flame = try await flames.flame(FlameQuery(subject), by: options.weighting)
            return try .download(flame, of: subject, by: options.weighting, as: format)
        }
        var page = FlamePage(choice: choice)
        page.options = options
        page.apps = try await groups.apps(of: context.caller)
        if choice.app == nil, page.apps.count == 1 { page.choice.app = page.apps.first }
        if let app = page.choice.app {
            page.versions = try await groups.versions(of: app).reversed()
            page.merged = try await merged(choice.version, of: app, page)
            page.before = try await merged(choice.against, of: app, page)
        }
        return try site.response(page.page(in: site.context(of: request, context)), to: request)
    }

    private func merged(
        _ version: String?, of app: String, _ page: FlamePage
    ) async throws -> MergedStacks? {
        guard let version else { return nil }
        return MergedStacks(
            try await flames.flame(
                FlameQuery(.version(version, app: app, kind: page.choice.kind)),
                by: page.options.weighting))
    }
}

extension FlamePage.Choice {
    /// The stacks of the chosen version, or `nil` until an app and a version are chosen.
    fileprivate var subject: FlameQuery.Subject? {
        guard let app, let version else { return nil }
        return .version(version, app: app, kind: kind)
    }
}

extension GroupArchive {
    /// Returns the apps that a caller may see.
    func apps(of caller: Caller) async throws -> [String] {
        if let app = caller.app { return [app] }
        return try await apps()
    }

    /// Returns the app that a menu sent as a value.
    func app(sentAs value: String?, by caller: Caller) async throws -> String? {
        guard let value, value.contains("\u{fffd}") else { return value }
        return try await apps(of: caller).first { menuValue($0) == value } ?? value
    }

    /// Returns the version of an app that a menu sent as a value.
    func version(sentAs value: String?, of app: String?) async throws -> String? {
        guard let app, let value, value.contains("\u{fffd}") else { return value }
        return try await versions(of: app).first { menuValue($0) == value } ?? value
    }
}

extension FlameViewOptions {
    /// Reads the choices for a picture of many diagnostics.
    init(merged parameters: FlatDictionary<Substring, Substring>) throws {
        self.init()
        weighting = try parameters.choice("by") ?? .samples
        readView(parameters)
    }
}
