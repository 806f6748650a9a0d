/// Paths as text, and as the bytes that the system uses.
///
/// A file name is any sequence of bytes. In the text of one that is not UTF-8, each byte that cannot be
/// decoded is a character of a private use area, so that the path can be joined, sorted and stored as
/// any other, and its bytes restored.
public enum SystemPath {
    /// The characters for the bytes from 0x80 on.
    private static let escapes: ClosedRange<UInt32> = 0x10_ff80...0x10_ffff

    /// The text of a path.
    public static func text(of bytes: [UInt8]) -> String {
        var text = String.UnicodeScalarView()
        var parser = Unicode.UTF8.ForwardParser()
        var rest = bytes.makeIterator()
        var place = 0
        func escape(_ count: Int) {
            for byte in bytes[place..<place + count] {
                Unicode.Scalar(escapes.lowerBound + UInt32(byte & 0x7f)).map { text.append($0) }
            }
        }
        while true {
            switch parser.parseScalar(from: &rest) {
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                // A name may contain such characters itself.
                if escapes.contains(scalar.value) {
                    escape(encoded.count)
                } else {
                    text.append(scalar)
                }
                place += encoded.count
            case .error(let length):
                escape(length)
                place += length
            case .emptyInput: return String(text)
            }
        }
    }

    /// The bytes of a path, terminated by 0.
    public static func bytes(of path: String) -> [CChar] {
        var bytes: [UInt8] = []
        for scalar in path.unicodeScalars {
            if escapes.contains(scalar.value) {
                bytes.append(UInt8(0x80 + scalar.value - escapes.lowerBound))
            } else {
                bytes += Array(
                    Unicode.UTF8.encode(scalar) ?? Unicode.UTF8.encodedReplacementCharacter)
            }
        }
        return bytes.map { CChar(bitPattern: $0) } + [0]
    }
}
