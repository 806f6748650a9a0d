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
    ///
    /// Like the router, it prefers a constant component to a parameter: `/v1/symbols/missing` is not
    /// the image `missing` of `/v1/symbols/:uuid`, whose methods it does not have.
    func methods(at path: String) -> [String] {
        let components = Self.components(of: path)
        return routes.withLock { all in
            var matches = all
            for (position, component) in components.enumerated() {
                let longer = matches.filter { $0.components.count > position }
                let constant = longer.filter { $0.components[position] == component }
                matches =
                    constant.isEmpty
                    ? longer.filter { Self.isParameter($0.components[position]) } : constant
            }
            return Set(
                matches.filter { $0.components.count == components.count }.map(\.method.rawValue)
            ).sorted()
        }
    }

    private static func components(of path: String) -> [Substring] { path.split(separator: "/") }

    /// Whether a component of a route, in braces or with a leading colon, matches any value.
    private static func isParameter(_ component: Substring) -> Bool {
        component.hasPrefix(":") || component.hasPrefix("{")
    }
}
