import struct Foundation.Data
import Problems

/// Converts IDs between OTLP's JSON and protobuf's JSON mapping.
///
/// The library supports only protobuf's mapping, where bytes are in base64. It reads the 32
/// hexadecimal digits of a trace ID as 24 bytes of base64. Hexadecimal digits are also base64
/// digits, so every six bits of the 24 bytes are one digit, and none is lost in either direction.
package struct IdentifierConversion: Sendable {
    private enum Direction { case fromJSON, toJSON }

    private let direction: Direction

    /// Converts bytes that were read as base64 to the ID. The number of hexadecimal digits must be
    /// correct, or zero.
    static let fromJSON = Self(direction: .fromJSON)

    /// Converts the ID to bytes whose base64 is the ID in hexadecimal. An ID of a wrong length
    /// becomes empty.
    static let toJSON = Self(direction: .toJSON)

    static let traceBytes = 16
    static let spanBytes = 8

    /// - Parameter path: The path of the ID: `resourceSpans[0].scopeSpans[2].spans[7].traceId`.
    func callAsFunction(
        _ id: inout Data, count: Int, at path: @autoclosure () -> String
    ) throws(OTLPError) {
        guard !id.isEmpty else { return }
        switch direction {
        case .fromJSON:
            guard id.count * 2 == count * 3, let bytes = Self.bytes(ofSextets: id)
            else { throw OTLPError(identifierAt: path(), digits: count * 2) }
            id = bytes
        case .toJSON:
            id = id.count == count ? Self.sextets(of: id) : Data()
        }
    }

    /// Returns the bytes whose hexadecimal digits are the base64 digits of `data`, three bytes to
    /// two, or `nil` if one of them is not hexadecimal.
    private static func bytes(ofSextets data: Data) -> Data? {
        var bytes = Data(capacity: data.count / 3 * 2)
        for start in stride(from: data.startIndex, to: data.endIndex, by: 3) {
            let group = data[start..<start + 3].reduce(0) { $0 << 8 | UInt32($1) }
            for shift in [UInt32(12), 0] {
                guard let high = hexadecimal(group >> (shift + 6) & 63),
                    let low = hexadecimal(group >> shift & 63)
                else { return nil }
                bytes.append(high << 4 | low)
            }
        }
        return bytes
    }

    /// Converts in the other direction. `data` must have an even number of bytes.
    private static func sextets(of data: Data) -> Data {
        var sextets = Data(capacity: data.count / 2 * 3)
        for start in stride(from: data.startIndex, to: data.endIndex, by: 2) {
            let (first, second) = (data[start], data[start + 1])
            let group = [first >> 4, first & 15, second >> 4, second & 15]
                .reduce(UInt32(0)) { $0 << 6 | base64($1) }
            for shift in [UInt32(16), 8, 0] {
                sextets.append(UInt8(truncatingIfNeeded: group >> shift))
            }
        }
        return sextets
    }

    // In base64, `A` to `Z` start at 0, `a` to `z` at 26, and `0` to `9` at 52.

    private static func hexadecimal(_ base64: UInt32) -> UInt8? {
        switch base64 {
        case 52...61: UInt8(base64 - 52)
        case 26...31: UInt8(base64 - 26 + 10)
        case 0...5: UInt8(base64 + 10)
        default: nil
        }
    }

    private static func base64(_ hexadecimal: UInt8) -> UInt32 {
        UInt32(hexadecimal) + (hexadecimal < 10 ? 52 : 26 - 10)
    }
}

extension OTLPError {
    fileprivate init(identifierAt path: String, digits: Int) {
        self.init(
            .identifier,
            Problem(
                path, detail: "is not \(digits) hexadecimal digits",
                suggestion: "write ids in hexadecimal, not base64"))
    }
}
