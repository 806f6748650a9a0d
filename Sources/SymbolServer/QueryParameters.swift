import CallStacks
import Foundation
import Hummingbird
import HummingbirdCore

extension FlatDictionary where Key == Substring, Value == Substring {
    /// A parameter of the query; `nil` where it is missing or empty.
    func text(_ name: Substring) -> String? {
        guard let value = self[name], !value.isEmpty else { return nil }
        return String(value)
    }

    /// A parameter of the path, decoded.
    func pathText(_ name: String) throws -> String {
        let value = try require(name)
        return value.removingPercentEncoding ?? value
    }

    /// How many rows are asked for.
    func limit(or usual: Int, upTo largest: Int = 10_000) throws -> Int {
        guard let text = text("limit") else { return usual }
        guard let limit = Int(text), 1...largest ~= limit else {
            throw RequestError.badRequest(
                "bad_limit", "limit: '\(text)' is not a number from 1 to \(largest): give another")
        }
        return limit
    }

    /// One of the values of a parameter that has a few.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: Substring
    ) throws -> Choice? {
        guard let text = text(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw RequestError.badRequest(
                "unknown_\(name)", "\(name): '\(text)' is not known: ask for one of \(known)")
        }
        return choice
    }
}

/// How much of what is no identity an error shows.
private let longestShownIdentity = 100

/// The identity that a text names.
func imageID(_ text: String) throws -> ImageID {
    guard let image = ImageID(text) else {
        throw RequestError.badRequest(
            "bad_uuid",
            "uuid: '\(text.prefix(longestShownIdentity))' is neither a UUID nor a build id: "
                + "give hexadecimal digits")
    }
    return image
}

extension UnixTime {
    /// `2026-11-22T01:02:03.456Z`
    var text: String {
        Date(timeIntervalSince1970: seconds).formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
