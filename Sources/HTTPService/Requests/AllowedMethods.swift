import HTTPTypes
import Hummingbird
import Synchronization

/// The methods of each path, which distinguish a wrong method from an unknown path.
///
/// It is created before the routes, because the error middleware of each route uses it, and updated
/// once all routes exist.
final class AllowedMethods: Sendable {
    private let routes = Mutex<[(components: [Substring], method: HTTPRequest.Method)]>([])

    func update(from routes: [Router<HTTPRequestContext>.RouteDescription]) {
        self.routes.withLock { all in
            all = routes.map { (Self.components(of: $0.path.description), $0.method) }
        }
    }

    /// Returns the methods in alphabetical order; empty for an unknown path.
    func methods(at path: String) -> [String] {
        let components = Self.components(of: path)
        return routes.withLock { all in
            Set(all.filter { Self.matches($0.components, path: components) }.map(\.method.rawValue))
                .sorted()
        }
    }

    private static func components(of path: String) -> [Substring] { path.split(separator: "/") }

    /// Whether a route matches a path. A component in braces, or with a leading colon, matches any
    /// value.
    private static func matches(_ route: [Substring], path: [Substring]) -> Bool {
        route.count == path.count
            && zip(route, path).allSatisfy { $0 == $1 || $0.hasPrefix(":") || $0.hasPrefix("{") }
    }
}
