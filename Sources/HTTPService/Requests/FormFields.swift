import Foundation
import Hummingbird
import HummingbirdCore

/// The fields of a form or a query, in the form of `application/x-www-form-urlencoded`, in which a
/// plus sign is a space (WHATWG URL Standard, section 5).
enum FormFields {
    /// Returns the last value of each name in the body of a form.
    static func decode(_ body: [UInt8]) -> [String: String] {
        Dictionary(fields(of: String(decoding: body, as: UTF8.self)[...])) { $1 }
    }

    /// A field without `=` has an empty value.
    fileprivate static func fields(of text: Substring) -> [(String, String)] {
        text.split(separator: "&").map { field in
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
        }
    }

    private static func decoded(_ text: Substring) -> String {
        let spaced = text.replacing("+", with: " ")
        return String(spaced).removingPercentEncoding ?? String(spaced)
    }
}

extension Request {
    /// The parameters of the query. Forms of browsers and the libraries of most languages encode a
    /// space as a plus sign.
    var queryParameters: FlatDictionary<Substring, Substring> {
        FlatDictionary(FormFields.fields(of: (uri.query ?? "")[...]).map { ($0[...], $1[...]) })
    }
}
