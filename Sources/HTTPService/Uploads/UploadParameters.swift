import CallStacks
import Hummingbird
import HummingbirdCore
import Problems
import SymbolIntake

/// The parameters of an upload, from the query or from form fields.
struct UploadParameters {
    var app: String?
    var version: String?
    var buildNumber: String?
    private var sourceCommit: String?
    var fileName: String
    /// The name and the build of the system that system images are part of.
    private var systemName: String?
    private var systemBuild: String?
    private var replacement: String?
    /// The parts of the build that were sent without a value, as by a script whose variables are
    /// not set. If they were ignored, the files would be stored for all apps.
    private var emptyBuildParts: Set<String> = []
    /// The first form field without a meaning, which may be a misspelled one.
    private var unknownField: String?

    init(_ parameters: FlatDictionary<Substring, Substring>) {
        app = parameters.text("app")
        version = parameters.text("version")
        buildNumber = parameters.text("build")
        sourceCommit = parameters.text("commit")
        fileName = parameters.text("name") ?? "upload"
        systemName = parameters.text("os")
        systemBuild = parameters.text("os_build")
        replacement = parameters.text("replace")
        emptyBuildParts = Set(
            ["app", "version", "build"].filter { parameters[Substring($0)]?.isEmpty == true })
    }

    /// Sets the app to that of a bound token, if a build is named.
    ///
    /// - Throws: A ``RequestError`` of 403 if another app is named.
    mutating func bind(to caller: Caller) throws {
        if systemBuild != nil, let app = caller.app {
            throw RequestError(
                .forbidden, "wrong_app",
                Problem(
                    "os_build",
                    detail: "images of systems serve all apps, and the token is for '\(app)'",
                    suggestion: "use a token for all apps"))
        }
        let named = try caller.app(requested: app)
        if app != nil || version != nil || buildNumber != nil { app = named }
    }

    /// Sets a parameter from a form field.
    mutating func set(_ name: String, to value: String) {
        if ["app", "version", "build"].contains(name), value.isEmpty {
            emptyBuildParts.insert(name)
        }
        switch name {
        case "app": app = value.isEmpty ? nil : value
        case "version": version = value.isEmpty ? nil : value
        case "build": buildNumber = value.isEmpty ? nil : value
        case "commit": sourceCommit = value.isEmpty ? nil : value
        case "os": systemName = value.isEmpty ? nil : value
        case "os_build": systemBuild = value.isEmpty ? nil : value
        case "replace": replacement = value.isEmpty ? nil : value
        default: unknownField = unknownField ?? name
        }
    }

    /// Treats parts of the build without a value as absent. A page's form has fields that may stay
    /// empty.
    mutating func allowEmptyBuildParts() { emptyBuildParts = [] }

    /// Returns the options of the upload.
    ///
    /// - Throws: A ``RequestError`` of 400 if a parameter is invalid.
    func options(for caller: Caller) throws -> UploadOptions {
        if let unknownField {
            throw RequestError.badRequest(
                "unknown_parameter",
                Problem(
                    "form", detail: "field '\(unknownField.prefix(64))' is unknown",
                    suggestion: "use app, version, build, commit, os, os_build or replace"))
        }
        return UploadOptions(
            owner: SymbolOwner(app: caller.app ?? app), build: try build, commit: try commit,
            system: try system, replaces: try replaces)
    }

    /// Whether the files replace the owner's existing files for the same images even if their
    /// quality is not higher.
    private var replaces: Bool {
        get throws {
            guard let replacement else { return false }
            guard let replaces = Bool(replacement) else {
                throw RequestError.badRequest(
                    "bad_replace",
                    Problem(
                        "replace", detail: "'\(replacement)' is invalid",
                        suggestion: "use true or false"))
            }
            return replaces
        }
    }

    /// The commit that the build was made from, or `nil` if none is named.
    ///
    /// - Throws: A ``RequestError`` of 400 if it is invalid.
    var commit: SourceCommit? {
        get throws {
            guard let sourceCommit else { return nil }
            guard let commit = SourceCommit(sourceCommit) else {
                throw RequestError.badRequest(
                    "bad_commit",
                    Problem(
                        "commit", detail: "not the name of a commit",
                        suggestion: "use \(SourceCommit.rule)"))
            }
            return commit
        }
    }

    /// The system that the files are part of, or `nil` if none is named.
    ///
    /// - Throws: A ``RequestError`` of 400 if it is invalid, or an app's build is named as well.
    var system: SystemBuild? {
        get throws {
            guard let systemBuild else {
                guard systemName == nil else {
                    throw Self.badSystem("os", detail: "has no build", suggestion: "add os_build")
                }
                return nil
            }
            guard SystemBuild.isBuild(systemBuild) else {
                throw Self.badSystem(
                    "os_build", detail: "not a build", suggestion: "use letters and digits: 22B83")
            }
            guard (systemName ?? "").utf8.count <= Self.systemNameLimit else {
                throw Self.badSystem(
                    "os", detail: "too long", suggestion: "use a name such as 'iPhone OS 18.1'")
            }
            guard app == nil, version == nil, buildNumber == nil else {
                throw Self.badSystem(
                    "query", detail: "names both a system and an app's build",
                    suggestion: "name one of them")
            }
            return SystemBuild(name: systemName ?? "", build: systemBuild, architecture: "")
        }
    }

    private static let systemNameLimit = 100

    private static func badSystem(
        _ subject: String, detail: String, suggestion: String
    ) -> RequestError {
        .badRequest("bad_system", Problem(subject, detail: detail, suggestion: suggestion))
    }

    /// The build that the files belong to, or `nil` if none is named.
    ///
    /// - Throws: A ``RequestError`` of 400 if it is incomplete or invalid.
    var build: Build? {
        get throws {
            if emptyBuildParts.isEmpty, app == nil, version == nil, buildNumber == nil {
                return nil
            }
            guard emptyBuildParts.isEmpty, let app, let version, let buildNumber else {
                throw RequestError.badRequest(
                    "incomplete_build",
                    Problem(
                        "query", detail: "incomplete build",
                        suggestion: "set all of app, version and build, or none"))
            }
            for (name, value) in [("app", app), ("version", version), ("build", buildNumber)]
            where !Build.isPart(value) {
                throw RequestError.badRequest(
                    "bad_build",
                    Problem(name, detail: "invalid", suggestion: "use \(Build.partRule)"))
            }
            return Build(app: app, version: version, build: buildNumber)
        }
    }
}
