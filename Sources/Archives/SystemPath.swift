/// Paths as text, and as the bytes that the system uses.
///
/// A file name can be any sequence of bytes. If it is not UTF-8, each byte that cannot be decoded
/// becomes a private-use character in the text, so that the path can be joined, sorted and stored
/// like any other, and its bytes can be restored.
public enum SystemPath {
    /// The characters for the bytes from 0x80 on.
    private static let escapes: ClosedRange<UInt32> = 0x10_ff80...0x10_ffff

    /// Returns the text of a path.
    public static func text(of bytes: [UInt8]) -> String {
        var text = String.UnicodeScalarView()
        var parser = Unicode.UTF8.ForwardParser()
        var rest = bytes.makeIterator()
        var position = 0
        func escape(_ count: Int) {
            for byte in bytes[position..<position + count] {
                Unicode.Scalar(escapes.lowerBound + UInt32(byte & 0x7f)).map { text.append($0) }
            }
        }
        while true {
            switch parser.parseScalar(from: &rest) {
            case .valid(let encoded):
                let scalar = Unicode.UTF8.decode(encoded)
                // The name itself may contain such characters.
                if escapes.contains(scalar.value) {
                    escape(encoded.count)
                } else {
                    text.append(scalar)
                }
                position += encoded.count
            case .error(let length):
                escape(length)
                position += length
            case .emptyInput: return String(text)
            }
        }
    }

    /// Returns the text of a path for people and programs, who cannot restore its bytes: each byte
    /// that is not UTF-8 becomes U+FFFD.
    public static func shown(_ path: String) -> String {
        guard path.unicodeScalars.contains(where: { escapes.contains($0.value) })
        else { return path }
        return String(
            String.UnicodeScalarView(
                path.unicodeScalars.map { escapes.contains($0.value) ? "\u{fffd}" : $0 }))
    }

    /// Returns the bytes of a path, terminated by 0.
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
