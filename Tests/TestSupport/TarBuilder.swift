/// Builds a tar archive in the older format, valid or not, entry by entry.
public struct TarBuilder: Sendable {
    private var archive = ByteWriter()

    public init() {}

    /// - Parameters:
    ///   - type: `0` a file, `1` a hard link, `2` a symbolic link, `3` a device, `5` a folder.
    ///   - declaredSize: The size in the header, if it differs from that of `contents`.
    public mutating func add(
        _ name: [UInt8], _ contents: [UInt8] = [], type: Character = "0",
        linkTo target: String = "",
        declaredSize: Int? = nil
    ) {
        var header = ByteWriter()
        header.add(name.prefix(100) + [UInt8](repeating: 0, count: 100 - min(name.count, 100)))
        header.add("0000644\u{0}0000000\u{0}0000000\u{0}".utf8)
        header.add((Self.octal(declaredSize ?? contents.count, digits: 11) + "\u{0}").utf8)
        header.add("00000000000\u{0}        ".utf8)
        header.add(String(type).utf8)
        header.add(target, field: 100)
        header.add([UInt8](repeating: 0, count: 255))
        var block = header.bytes
        let sum = block.reduce(0) { $0 + Int($1) }
        block.replaceSubrange(148..<156, with: Array("\(Self.octal(sum, digits: 6))\u{0} ".utf8))
        archive.add(block)
        archive.add(contents)
        archive.align(to: 512)
    }

    public mutating func add(_ name: String, _ contents: [UInt8] = []) {
        add(Array(name.utf8), contents)
    }

    /// Returns the archive, with or without the two empty blocks at its end.
    public func bytes(ended: Bool = true) -> [UInt8] {
        archive.bytes + [UInt8](repeating: 0, count: ended ? 1_024 : 0)
    }

    private static func octal(_ number: Int, digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
