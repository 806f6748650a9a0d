import CallStacks
import FlameGraphs
import Foundation
import Hummingbird
import HummingbirdCore
import Ingest
import Problems

/// Serves the sampled stacks of many diagnostics as one flame graph: those of a group, of an app's
/// version, or of two versions.
struct FlameController {
    let archive: any GroupArchive
    let flames: MergedFlames

    func addRoutes(to routes: RouterGroup<HTTPRequestContext>) {
        routes.get("/v1/flame", use: flame)
    }

    enum Format: String, CaseIterable { case json, collapsed, speedscope }

    @Sendable private func flame(_ request: Request, context: HTTPRequestContext) async throws
        -> Response
    {
        let parameters = request.queryParameters
        let format: Format = try parameters.choice("format") ?? .json
        let weighting: FlameGraphBuilder.Weighting = try parameters.choice("by") ?? .samples
        let subject = try await subject(request, context: context)
        let merged = try await flames.flame(FlameQuery(subject), by: weighting)
        guard let other = try Self.compared(subject, version: parameters.text("against")) else {
            return try Self.response(
                merged, subject: subject, weighting: weighting, format: format)
        }
        guard format == .json else {
            throw RequestError.badRequest(
                "unknown_format",
                Problem(
                    "format", detail: "two versions are compared as JSON only",
                    suggestion: "use format=json"))
        }
        let before = try await flames.flame(FlameQuery(other), by: weighting)
        return .json(bytes: FlameJSON(subject, weighting).bytes(of: merged, against: before))
    }

    private func subject(
        _ request: Request, context: HTTPRequestContext
    ) async throws -> FlameQuery.Subject {
        let parameters = request.queryParameters
        let app = try context.caller.app(requested: parameters.text("app"))
        if let fingerprint = parameters.text("fingerprint") {
            let group = try await archive.groups(fingerprint: fingerprint, app: app).first
            guard let group else {
                throw RequestError.notFound(
                    Problem(
                        "group '\(fingerprint)'", detail: "unknown",
                        suggestion: "GET /v1/groups lists all groups"))
            }
            return .group(fingerprint: fingerprint, app: group.app)
        }
        guard let app, let version = parameters.text("version") else {
            throw RequestError.badRequest(
                "subject_missing",
                Problem(
                    "query", detail: "needs app and version, or a fingerprint",
                    suggestion: "add app= and version=, or fingerprint="))
        }
        let kind: DiagnosticKind = try parameters.choice("kind") ?? .hang
        guard kind.isSampled else { throw Self.notSampled(kind) }
        return .version(version, app: app, kind: kind)
    }

    static func notSampled(_ kind: DiagnosticKind) -> RequestError {
        .badRequest(
            "unknown_kind",
            Problem(
                "kind", detail: "'\(kind.rawValue)' has no sampled stacks", suggestion: "use hang"))
    }

    /// Returns the version to compare with, or `nil` if none is requested.
    private static func compared(
        _ subject: FlameQuery.Subject, version: String?
    ) throws -> FlameQuery.Subject? {
        guard let version else { return nil }
        guard case .version(_, let app, let kind) = subject else {
            throw RequestError.badRequest(
                "bad_against",
                Problem(
                    "against", detail: "a group is not compared", suggestion: "use app and version")
            )
        }
        return .version(version, app: app, kind: kind)
    }

    static func response(
        _ merged: MergedFlames.Flame, subject: FlameQuery.Subject,
        weighting: FlameGraphBuilder.Weighting, format: Format
    ) throws -> Response {
        switch format {
        case .json: return .json(bytes: FlameJSON(subject, weighting).bytes(of: merged))
        case .collapsed:
            var stacks = CollapsedStacks()
            stacks.add(merged.graph, thread: nil)
            return .text(String(decoding: stacks.bytes, as: UTF8.self))
        case .speedscope:
            let profile = SpeedscopeProfile(
                name: subject.title,
                threads: [.init(name: "\(merged.mergedCount) diagnostics", graph: merged.graph)],
                exporter: "symbolist")
            return .json(bytes: profile.bytes)
        }
    }
}

extension FlameQuery.Subject {
    /// `hang, com.example.shop 1.4.0`
    var title: String {
        switch self {
        case .version(let version, let app, let kind): "\(kind.rawValue), \(app) \(version)"
        case .group(let fingerprint, _): fingerprint
        }
    }
}
