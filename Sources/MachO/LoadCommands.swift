import ByteReading

/// A load command: its kind, and a cursor over its body that ends where the command does.
struct LoadCommand {
    /// The commands that are read; others are skipped.
    enum Kind: UInt32 {
        case segment = 0x1
        case symbolTable = 0x2
        case dynamicSymbolTable = 0xb
        case segment64 = 0x19
        case uuid = 0x1b
        case minimumMacOS = 0x24
        case minimumIOS = 0x25
        case functionStarts = 0x26
        case dylibID = 0xd
        case dylinkerID = 0xf
        case minimumTVOS = 0x2f
        case minimumWatchOS = 0x30
        case note = 0x31
        case buildVersion = 0x32
    }

    /// The kind, or `nil` if the command is skipped.
    let kind: Kind?
    let body: ByteCursor
}

/// The load commands of an image, in file order.
struct LoadCommands {
    private let bytes: FileBytes
    private let header: MachOHeader

    init(of header: MachOHeader, in file: FileBytes) throws(ReadingError) {
        self.header = header
        bytes = try file.slice(
            at: header.byteCount, count: UInt64(header.commandBytes), subject: "load commands")
    }

    /// Calls `body` with each command. Offsets in errors are relative to the first command.
    func forEach(
        _ body: (LoadCommand) throws(ReadingError) -> Void
    ) throws(ReadingError) {
        var start: UInt64 = 0
        for _ in 0..<header.commandCount {
            var cursor = ByteCursor(bytes, at: start, bigEndian: header.isBigEndian)
            let kind = LoadCommand.Kind(rawValue: try cursor.number(UInt32.self))
            let size = UInt64(try cursor.number(UInt32.self))
            guard size >= 8, size % 4 == 0 else {
                throw ReadingError(
                    .malformed("command has a size of \(size) bytes"), in: bytes.subject, at: start)
            }
            try bytes.check(size, at: start)
            let upToEnd = try bytes.slice(at: 0, count: start + size, subject: bytes.subject)
            try body(
                LoadCommand(
                    kind: kind,
                    body: ByteCursor(upToEnd, at: start + 8, bigEndian: header.isBigEndian)))
            start += size
        }
    }
}
