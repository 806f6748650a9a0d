import struct Foundation.Data

/// What turns ids between what OTLP's JSON says and what protobuf's JSON mapping makes of it.
///
/// The library knows only protobuf's mapping, where bytes are in base64. It reads the 32 hexadecimal
/// digits of a trace id as 24 bytes of base64. Hexadecimal digits are also digits of base64, so none
/// is lost, and each six bits of the 24 bytes are one digit. The same holds backwards.
package struct IdentifierConversion: Sendable {
    private enum Direction { case fromJSON, toJSON }

    private let direction: Direction

    /// From base64 read as bytes to the id. Anything but hexadecimal digits in the right number, or
    /// none at all, is an error.
    static let fromJSON = Self(direction: .fromJSON)

    /// From the id to bytes whose base64 is the id in hexadecimal. An id that has not the length of
    /// one becomes empty.
    static let toJSON = Self(direction: .toJSON)

    static let traceBytes = 16
    static let spanBytes = 8

    /// - Parameter place: Where the id stands: `resourceSpans[0].scopeSpans[2].spans[7].traceId`.
    func callAsFunction(
        _ id: inout Data, count: Int, _ place: @autoclosure () -> String
    ) throws(OTLPError) {
        guard !id.isEmpty else { return }
        switch direction {
        case .fromJSON:
            guard id.count * 2 == count * 3, let bytes = Self.bytes(ofSextets: id)
            else { throw OTLPError(identifierAt: place(), digits: count * 2) }
            id = bytes
        case .toJSON:
            id = id.count == count ? Self.sextets(of: id) : Data()
        }
    }

    /// The bytes whose hexadecimal digits are the base64 digits of `data`, three bytes to two;
    /// `nil` where one of them is not hexadecimal.
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

    /// The other way round. `data` has an even number of bytes.
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

    // Base64 counts `A` to `Z` from 0, `a` to `z` from 26 and `0` to `9` from 52.

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
    fileprivate init(identifierAt place: String, digits: Int) {
        self.init(
            .identifier,
            "\(place): is not \(digits) hexadecimal digits: write ids in hexadecimal, not base64")
    }
}
