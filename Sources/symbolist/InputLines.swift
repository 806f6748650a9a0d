import Glibc

/// The lines of standard input, each as soon as it has arrived.
struct InputLines {
    /// The longest line that is kept, in bytes; of a longer one only the start.
    static let lengthLimit = 4096

    private var chunk: ArraySlice<UInt8> = []
    private var number = 0

    /// The next line without its end, and its number from 1; `nil` at the end of input.
    mutating func next() -> (text: String, number: Int)? {
        var line: [UInt8] = []
        var isOpen = false
        while let byte = nextByte() {
            isOpen = true
            if byte == UInt8(ascii: "\n") { break }
            if line.count < Self.lengthLimit { line.append(byte) }
        }
        guard isOpen else { return nil }
        number += 1
        return (String(decoding: line, as: UTF8.self), number)
    }

    private mutating func nextByte() -> UInt8? {
        if chunk.isEmpty { chunk = Self.read() }
        return chunk.popFirst()
    }

    /// What has arrived, and at least one byte; nothing at the end of input.
    private static func read() -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe Glibc.read(STDIN_FILENO, &bytes, bytes.count)
            if count >= 0 { return bytes[..<count] }
            if errno != EINTR { return [] }
        }
    }
}
