import TestSupport

/// Debug information as compilers of 2007 wrote it: DWARF 2, one unit without ranges, addresses of
/// both ends of each function, a line table of version 2.
struct PlainDwarf {
    struct Function {
        var name: String
        var code: Range<UInt64>
    }

    var is64Bit = false
    /// The functions. Without them the unit has lines only.
    var functions: [Function] = []
    /// Ascending, each up to the next one.
    var rows: [(address: UInt64, line: UInt8)] = []
    var end: UInt64 = 0

    var abbreviations: [UInt8] {
        let unit: [UInt8] = [
            1, 0x11, functions.isEmpty ? 0 : 1, 0x03, 8, 0x1b, 8, 0x52, 1, 0x10, 6,
        ]
        let function: [UInt8] = [2, 0x2e, 0, 0x03, 8, 0x11, 1, 0x12, 1]
        return unit + [0, 0] + function + [0, 0, 0]
    }

    var info: [UInt8] {
        var body = ByteWriter()
        body.add(UInt16(2))
        body.add(UInt32(0))
        body.add([is64Bit ? 8 : 4, 1])
        body.add("dump.c\0/src\0".utf8)
        body.add(word: rows.first?.address ?? 0, is64Bit: is64Bit)
        body.add(UInt32(0))
        for function in functions {
            body.add([2])
            body.add("\(function.name)\0".utf8)
            body.add(word: function.code.lowerBound, is64Bit: is64Bit)
            body.add(word: function.code.upperBound, is64Bit: is64Bit)
        }
        if !functions.isEmpty { body.add([0]) }
        return Self.measured(body.bytes)
    }

    var lines: [UInt8] {
        var fields = ByteWriter()
        fields.add([1, 1, 0xf6, 245, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0])
        fields.add("dump.c\0\0\0\0\0".utf8)
        var body = ByteWriter()
        body.add(UInt16(2))
        body.add(Self.measured(fields.bytes))
        var line: UInt8 = 1
        for row in rows {
            address(row.address, in: &body)
            // Differences below 64 are one byte of LEB128.
            body.add([3, row.line - line, 1])
            line = row.line
        }
        address(end, in: &body)
        body.add([0, 1, 1])
        return Self.measured(body.bytes)
    }

    private func address(_ address: UInt64, in body: inout ByteWriter) {
        body.add([0, is64Bit ? 9 : 5, 2])
        body.add(word: address, is64Bit: is64Bit)
    }

    /// The bytes after their number.
    private static func measured(_ bytes: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.add(UInt32(bytes.count))
        writer.add(bytes)
        return writer.bytes
    }
}
