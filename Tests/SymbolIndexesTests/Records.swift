import ByteReading
import CallStacks
import IndexSupport

@testable import SymbolIndexes

// Records written by hand, as short as possible.

/// A builder for an image with code from 0 to `codeSize`.
func builder(codeSize: UInt64 = 0x10_0000) -> SymbolIndexBuilder {
    SymbolIndexBuilder(
        image: exampleImage,
        layout: ImageLayout(
            base: exampleImage.base, code: [ImageOffset(0)..<ImageOffset(codeSize)]))
}

let exampleImage = IndexedImage(
    id: ImageID("1F2E3D4C-5B6A-7988-A7B6-C5D4E3F2011C")!, identityKind: .uuid,
    architecture: .arm64, base: LinkAddress(0x1_0000_0000), platform: 2)

func range(_ start: UInt64, _ end: UInt64) -> Range<ImageOffset> {
    ImageOffset(start)..<ImageOffset(end)
}

extension SymbolIndexBuilder {
    mutating func name(_ text: String) -> NameNumber {
        let bytes = Array(text.utf8)
        return number(ofName: bytes.span)
    }

    mutating func file(_ name: String, in folder: String = "/src") -> FileNumber {
        let (name, folder) = (Array(name.utf8), Array(folder.utf8))
        return number(ofFile: name.span, folder: folder.span)
    }

    mutating func row(
        _ start: UInt64, _ file: String, _ line: UInt32, _ column: UInt32 = 0
    ) -> LineRow {
        LineRow(start: ImageOffset(start), position: position(file, line, column))
    }

    mutating func position(_ file: String, _ line: UInt32, _ column: UInt32 = 0) -> SourcePosition {
        SourcePosition(file: self.file(file), line: line, column: column)
    }

    mutating func addSymbol(
        _ text: String, _ start: UInt64, _ end: UInt64?, rank: SymbolRecord.Rank = .global
    ) {
        let name = name(text)
        add(
            SymbolRecord(
                name: name, start: ImageOffset(start), end: end.map { ImageOffset($0) },
                rank: rank))
    }
}

func endRow(_ start: UInt64) -> LineRow { LineRow(start: ImageOffset(start), position: .none) }

/// Returns an index of the builder's records.
func index(_ builder: SymbolIndexBuilder, notes: IndexNotes = IndexNotes()) throws -> SymbolIndex {
    try SymbolIndex(FileBytes(try builder.encode(notes: notes)))
}

extension SourceFrame {
    /// `[inlined] helper /src/a.c:5:9`, so that a failed comparison can be read.
    var text: String {
        let place = file.map { "\($0.path):\(line):\(column)" } ?? "-:\(line):\(column)"
        return "\(isInlined ? "[inlined] " : "")\(function ?? "-") \(place)"
    }
}

/// An index with checksums that fit its bytes, as an attacker would write them.
func repaired(_ bytes: [UInt8]) -> [UInt8] {
    let field = IndexLayout.Field.sections + 11 * IndexLayout.Field.sectionSize
    let place = (0..<8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64(bytes[field + $1]) }
    guard let end = Int(exactly: place), (IndexLayout.headerSize...bytes.count).contains(end) else {
        return bytes
    }
    let checksums = IndexChunks.checksums(of: bytes.span.extracting(0..<end))
    return bytes[..<end]
        + checksums.flatMap { word in (0..<4).map { UInt8(word >> UInt32(8 * $0) & 0xff) } }
}
