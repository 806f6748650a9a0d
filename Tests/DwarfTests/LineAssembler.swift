import TestSupport

/// Writes a line table from opcodes with names.
struct LineAssembler {
    var version: UInt16 = 4
    var folders: [String] = []
    var files: [(name: String, folder: UInt64)] = [("a.c", 0)]
    var minimumLength: UInt8 = 1
    var maximumOperations: UInt8 = 1
    var lineBase: Int8 = -5
    var lineRange: UInt8 = 14
    var opcodeBase: UInt8 = 13
    var operandCounts: [UInt8] = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1]
    private(set) var program: [UInt8] = []

    mutating func raw(_ bytes: UInt8...) { program += bytes }
    mutating func address(_ address: UInt64) { extended(2, little(address)) }
    mutating func advance(_ count: UInt64) { program += [2] + uleb(count) }
    mutating func line(by delta: Int64) { program += [3] + sleb(delta) }
    mutating func file(_ number: UInt64) { program += [4] + uleb(number) }
    mutating func column(_ column: UInt64) { program += [5] + uleb(column) }
    mutating func row() { program.append(1) }
    mutating func end() { extended(1, []) }

    mutating func extended(_ opcode: UInt8, _ operands: [UInt8]) {
        program += [0] + uleb(UInt64(operands.count + 1)) + [opcode] + operands
    }

    /// Adds a row `count` bytes and `delta` lines after the previous one.
    mutating func row(after count: UInt64, line delta: Int64) {
        advance(count)
        line(by: delta)
        row()
    }

    /// A sequence of one row, from `range.lowerBound` at `line`.
    mutating func sequence(_ range: Range<UInt64>, line: Int64) {
        address(range.lowerBound)
        self.line(by: line - 1)
        row()
        advance(range.upperBound - range.lowerBound)
        end()
    }

    var bytes: [UInt8] {
        var fields = ByteWriter()
        fields.add([minimumLength])
        if version >= 4 { fields.add([maximumOperations]) }
        fields.add([1, UInt8(bitPattern: lineBase), lineRange, opcodeBase])
        fields.add(operandCounts.prefix(max(Int(opcodeBase) - 1, 0)))
        fields.add(version >= 5 ? tables : lists)
        var body = ByteWriter()
        body.add(version)
        if version >= 5 { body.add([8, 0]) }
        body.add(UInt32(fields.bytes.count))
        body.add(fields.bytes)
        body.add(program)
        return little(UInt32(body.bytes.count)) + body.bytes
    }

    private var lists: [UInt8] {
        var bytes: [UInt8] = []
        for folder in folders { bytes += Array(folder.utf8) + [0] }
        bytes.append(0)
        for file in files { bytes += Array(file.name.utf8) + [0] + uleb(file.folder) + [0, 0] }
        return bytes + [0]
    }

    /// Files with a folder, followed by an MD5 sum and a vendor's field.
    private var tables: [UInt8] {
        var bytes: [UInt8] = [1, 1, 0x08] + uleb(UInt64(folders.count))
        for folder in folders { bytes += Array(folder.utf8) + [0] }
        bytes += [4, 1, 0x08, 2, 0x0b, 5, 0x1e] + uleb(0x2001) + [0x08]
        bytes += uleb(UInt64(files.count))
        for file in files {
            bytes += Array(file.name.utf8) + [0, UInt8(file.folder)]
            bytes += [UInt8](repeating: 7, count: 16) + [UInt8(ascii: "s"), 0]
        }
        return bytes
    }
}
