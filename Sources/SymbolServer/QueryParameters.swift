import CallStacks
import Foundation
import Hummingbird
import HummingbirdCore

extension FlatDictionary where Key == Substring, Value == Substring {
    /// A parameter of the query, decoded; `nil` where it is missing or empty.
    func text(_ name: Substring) -> String? {
        guard let value = self[name], !value.isEmpty else { return nil }
        return String(value).removingPercentEncoding ?? String(value)
    }

    /// How many rows are asked for.
    func limit(or usual: Int) throws -> Int {
        guard let text = text("limit") else { return usual }
        guard let limit = Int(text), limit > 0, limit <= 10_000 else {
            throw ServiceError.badRequest(
                "bad_limit", "limit: '\(text)' is not a number from 1 to 10000: give another")
        }
        return limit
    }
}

/// The identity that a text names.
func imageID(_ text: String) throws -> ImageID {
    guard let image = ImageID(text) else {
        throw ServiceError.badRequest(
            "bad_uuid", "uuid: '\(text)' is neither a UUID nor a build id: give hexadecimal digits")
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
