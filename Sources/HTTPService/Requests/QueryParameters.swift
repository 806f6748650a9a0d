import CallStacks
import Foundation
import Hummingbird
import HummingbirdCore
import Problems

extension FlatDictionary where Key == Substring, Value == Substring {
    /// Returns a query parameter, or `nil` if it is missing or empty.
    func text(_ name: Substring) -> String? {
        guard let value = self[name], !value.isEmpty else { return nil }
        return String(value)
    }

    /// Returns a decoded path parameter.
    func pathText(_ name: String) throws -> String {
        let value = try require(name)
        return value.removingPercentEncoding ?? value
    }

    /// Returns the requested number of rows.
    func limit(default defaultLimit: Int, maximum: Int = 10_000) throws -> Int {
        guard let text = text("limit") else { return defaultLimit }
        guard let limit = Int(text), 1...maximum ~= limit else {
            throw RequestError.badRequest(
                "bad_limit",
                Problem(
                    "limit", detail: "'\(text)' is invalid",
                    suggestion: "use a number from 1 to \(maximum)"))
        }
        return limit
    }

    /// Returns an integer, or `nil` if the parameter is missing.
    func number<Number: FixedWidthInteger>(_ name: Substring) throws -> Number? {
        try value(name, suggestion: "use a whole number") { Number($0) }
    }

    /// Returns a position in a list, in the form of its description.
    func position<Position>(_ name: Substring, _ read: (String) -> Position?) throws -> Position? {
        try value(name, suggestion: "start at the first page", read)
    }

    /// Returns a value that `read` parses, or `nil` if the parameter is missing.
    private func value<Parsed>(
        _ name: Substring, suggestion: String, _ read: (String) -> Parsed?
    ) throws -> Parsed? {
        guard let text = text(name) else { return nil }
        guard let value = read(text) else {
            throw RequestError.badRequest(
                "bad_\(name)",
                Problem(
                    "\(name)", detail: "'\(text.prefix(100))' is invalid",
                    suggestion: suggestion))
        }
        return value
    }

    /// Returns the position at which a page of a list starts or ends.
    func start<Row, Position>(
        of _: ListPage<Row>.Type, _ read: (String) -> Position?
    ) throws -> ListPage<Row>.Start<Position> {
        if let position = try position("after", read) { return .after(position) }
        return try position("before", read).map { .before($0) } ?? .top
    }

    /// Returns whether a parameter is set: to `1`, to `true`, or without a value.
    func flag(_ name: Substring) throws(RequestError) -> Bool {
        switch self[name] {
        case nil, "0", "false": return false
        case "", "1", "true": return true
        case let text?:
            throw RequestError.badRequest(
                "bad_\(name)",
                Problem("\(name)", detail: "'\(text)' is not a Boolean", suggestion: "use 1 or 0"))
        }
    }

    /// Returns the value of a parameter with fixed choices.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: Substring
    ) throws -> Choice? {
        guard let text = text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw RequestError.badRequest(
                "unknown_\(name)",
                Problem(
                    "\(name)", detail: "'\(text)' is unknown", suggestion: "use one of \(known)"))
        }
        return choice
    }
}

extension Request {
    /// Checks the names of all query parameters. If a misspelled parameter were ignored, a request
    /// could store or remove more than intended.
    ///
    /// - Throws: A ``RequestError`` of 400 if there is another parameter.
    func requireParameters(among names: String...) throws {
        for (name, _) in queryParameters where !names.contains(String(name)) {
            throw RequestError.badRequest(
                "unknown_parameter",
                Problem(
                    "query", detail: "'\(name.prefix(100))' is unknown",
                    suggestion: names.isEmpty
                        ? "leave it out" : "use \(names.joined(separator: ", "))"))
        }
    }
}

/// The maximum length of an invalid identity in an error, in characters.
private let shownIdentityLimit = 100

/// Returns the image identity in a text.
func imageID(_ text: String) throws -> ImageID {
    guard let image = ImageID(text) else {
        throw RequestError.badRequest(
            "bad_uuid",
            Problem(
                "uuid", detail: "'\(text.prefix(shownIdentityLimit))' is not a UUID or build ID",
                suggestion: "use hexadecimal digits"))
    }
    return image
}

extension UnixTime {
    /// `2026-11-22T01:02:03.456Z`
    var text: String { iso8601(includesMilliseconds: true) }
}
