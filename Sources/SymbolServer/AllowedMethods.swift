import HTTPTypes
import Hummingbird
import Synchronization

/// Which methods a path takes, so that a wrong method is told from a path that is not there.
///
/// It is made before the routes, because what answers errors is part of each, and reads them when all
/// are there.
final class AllowedMethods: Sendable {
    private let routes = Mutex<[(parts: [Substring], method: HTTPRequest.Method)]>([])

    func read(_ routes: [Router<CallerContext>.RouteDescription]) {
        self.routes.withLock { all in
            all = routes.map { (Self.parts(of: $0.path.description), $0.method) }
        }
    }

    /// In alphabetical order; none where nothing is there.
    func methods(at path: String) -> [String] {
        let parts = Self.parts(of: path)
        return routes.withLock { all in
            Set(all.filter { Self.matches($0.parts, parts) }.map(\.method.rawValue)).sorted()
        }
    }

    private static func parts(of path: String) -> [Substring] { path.split(separator: "/") }

    /// A part of a route that begins with a colon or stands in braces takes any value.
    private static func matches(_ route: [Substring], _ parts: [Substring]) -> Bool {
        route.count == parts.count
            && zip(route, parts).allSatisfy { $0 == $1 || $0.hasPrefix(":") || $0.hasPrefix("{") }
    }
}
