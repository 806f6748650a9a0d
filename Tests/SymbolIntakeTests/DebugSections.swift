import CallStacks
import DebugFiles
import Foundation
import TestSupport

/// A debug file of the project with the positions of its sections, for damaging them.
struct DamageableFile: Sendable {
    let bytes: [UInt8]
    /// The ranges of the sections with debug information, by name.
    let sections: [(name: String, range: Range<Int>)]

    init(_ path: String) throws {
        bytes = [UInt8](try Data(contentsOf: projectFolder.appendingPathComponent(path)))
        let all = bytes.starts(with: [0x7f, 0x45]) ? Self.elf(bytes) : Self.machO(bytes)
        sections = all.filter { $0.name.contains("debug_") && !$0.range.isEmpty }
    }

    /// Returns a copy with part of a section zeroed.
    func zeroed(_ name: String, _ part: ClosedRange<Double>) -> [UInt8] {
        var copy = bytes
        guard let range = sections.first(where: { $0.name.hasSuffix(name) })?.range else {
            return copy
        }
        for place in range {
            let share = Double(place - range.lowerBound) / Double(range.count)
            if part.contains(share) { copy[place] = 0 }
        }
        return copy
    }

    private static func number(_ bytes: [UInt8], at place: Int, size: Int) -> Int {
        (0..<size).reduce(0) { $0 | Int(bytes[place + $1]) << (8 * $1) }
    }

    private static func text(_ bytes: [UInt8], at place: Int, limit: Int = 64) -> String {
        String(decoding: bytes[place...].prefix(limit).prefix { $0 != 0 }, as: UTF8.self)
    }

    private static func elf(_ bytes: [UInt8]) -> [(name: String, range: Range<Int>)] {
        func field(_ place: Int, _ size: Int) -> Int { number(bytes, at: place, size: size) }
        let (table, count, names) = (field(0x28, 8), field(0x3c, 2), field(0x3e, 2))
        let texts = field(table + names * 64 + 0x18, 8)
        return (0..<count).map { index in
            let header = table + index * 64
            let start = field(header + 0x18, 8)
            let size = field(header + 4, 4) == 8 ? 0 : field(header + 0x20, 8)
            return (text(bytes, at: texts + field(header, 4)), start..<start + size)
        }
    }

    private static func machO(_ bytes: [UInt8]) -> [(name: String, range: Range<Int>)] {
        func field(_ place: Int, _ size: Int) -> Int { number(bytes, at: place, size: size) }
        var found: [(name: String, range: Range<Int>)] = []
        var command = 32
        for _ in 0..<field(16, 4) {
            // LC_SEGMENT_64
            if field(command, 4) == 0x19 {
                for section in 0..<field(command + 64, 4) {
                    let header = command + 72 + section * 80
                    let start = field(header + 48, 4)
                    found.append(
                        (text(bytes, at: header, limit: 16), start..<start + field(header + 40, 8)))
                }
            }
            command += field(command + 4, 4)
        }
        return found
    }
}
