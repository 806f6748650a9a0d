import CallStacks
import LogExtraction
import ReportFixtures
import TestSupport
import Testing

@testable import ReportFormats

/// A writer for the parts of Protocol Buffers that a report needs.
private struct Wire {
    private(set) var bytes: [UInt8] = []

    mutating func number(_ field: UInt64, _ value: UInt64) {
        varint(field << 3)
        varint(value)
    }

    mutating func bytes(_ field: UInt64, _ value: [UInt8]) {
        varint(field << 3 | 2)
        varint(UInt64(value.count))
        bytes += value
    }

    mutating func text(_ field: UInt64, _ value: String) { bytes(field, Array(value.utf8)) }

    mutating func message(_ field: UInt64, _ write: (inout Wire) -> Void) {
        var inner = Wire()
        write(&inner)
        bytes(field, inner.bytes)
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}

@Suite("Binary reports of PLCrashReporter")
struct PLCrashTests {
    /// The report of a fixture, as PLCrashReporter's message.
    private static func encoded(_ diagnostic: Diagnostic) -> [UInt8] {
        var wire = Wire()
        wire.message(1) {
            $0.number(1, 1)
            $0.text(2, "18.1")
            $0.number(4, 1_700_000_000)
            $0.text(5, "22B83")
        }
        wire.message(2) {
            $0.text(1, "com.example.orchard")
            $0.text(2, "17")
            $0.text(3, "1.4.0")
        }
        for stack in diagnostic.tree.stacks where stack.role == .thread {
            wire.message(3) { thread in
                thread.number(1, UInt64(stack.index))
                for frame in diagnostic.tree.frames[stack.frames] {
                    thread.message(2) { $0.number(3, frame.address?.rawValue ?? 0) }
                }
                thread.number(3, stack.isAttributed ? 1 : 0)
                for (name, value) in [("x0", UInt64(stack.index)), ("pc", 0x1_0000_4170)] {
                    thread.message(4) {
                        $0.text(1, name)
                        $0.number(2, value)
                    }
                }
            }
        }
        for image in diagnostic.images {
            wire.message(4) {
                $0.number(1, image.base?.rawValue ?? 0)
                $0.number(2, image.size ?? 0)
                $0.text(3, image.path ?? image.name ?? "")
                if let id = image.id { $0.bytes(4, id.bytes) }
                $0.message(5) {
                    $0.number(1, 1)
                    $0.number(2, 0x0100_000c)
                    $0.number(3, 0)
                }
            }
        }
        wire.message(6) {
            $0.text(1, "SIGTRAP")
            $0.text(2, "TRAP_BRKPT")
            $0.number(3, 0)
        }
        wire.message(7) { $0.text(1, "Orchard") }
        wire.message(8) { machine in
            machine.text(1, "Pear7,3")
            machine.message(2) {
                $0.number(1, 1)
                $0.number(2, 0x0100_000c)
                $0.number(3, 0)
            }
        }
        return PLCrashReport.start + wire.bytes
    }

    private static func fixture() throws -> Diagnostic {
        let file = CrashFileReader().read(try OrchardSymbols.fixture("divide-by-zero.report.ips"))
        return try #require(file.reports.first).resolved()
    }

    @Test("have the frames, the images and the facts about the crash")
    func read() throws {
        let expected = try Self.fixture()
        let file = CrashFileReader().read(Self.encoded(expected))
        let report = try #require(file.reports.first)
        #expect(report.format == .plcrash)
        let found = report.resolved()
        #expect(found.images.map(\.id) == expected.images.map(\.id))
        let threads = expected.tree.stacks.filter { $0.role == .thread }
        #expect(found.tree.stacks.map(\.frames.count) == threads.map(\.frames.count))
        for (one, other) in zip(found.tree.stacks, threads) {
            #expect(one.isAttributed == other.isAttributed)
            for (frame, wanted) in zip(
                found.tree.frames[one.frames.clamped(to: found.tree.frames.indices)],
                expected.tree.frames[other.frames])
            {
                #expect(frame.image == wanted.image)
                #expect(frame.site?.lookupOffset == wanted.site?.lookupOffset)
            }
        }
        let crashed = threads.first { $0.isAttributed }
        #expect(
            found.details.registers
                == Registers(
                    kind: "ARM Thread State (64-bit)",
                    values: [.init("x0", UInt64(crashed?.index ?? 99)), .init("pc", 0x1_0000_4170)])
        )
        #expect(found.details.processName == "Orchard")
        #expect(found.details.appVersion == "1.4.0")
        #expect(found.details.osVersion == "iPhone OS 18.1 (22B83)")
    }

    @Test("are read as far as possible if they are truncated or have flipped bits")
    func damaged() throws {
        let whole = Self.encoded(try Self.fixture())
        var numbers = SplitMix64(seed: 15)
        for place in stride(from: 0, to: whole.count, by: max(1, whole.count / 200)) {
            let cut = CrashFileReader().read(Array(whole[..<place]))
            // A file that ends between two fields of the message looks like a whole one.
            let isBroken = WireMessage(whole[min(8, place)..<place]).isBroken
            for report in cut.reports {
                #expect(report.resolved().remarks.contains(.textTruncated) == isBroken)
            }
            var bytes = whole
            bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
            let file = CrashFileReader().read(bytes)
            #expect(!file.reports.isEmpty || !file.unread.isEmpty)
        }
    }

    @Test("a number of more than 64 bits, and a length beyond the end, end a message")
    func limits() {
        #expect(WireMessage([8] + [UInt8](repeating: 0x80, count: 11))[number: 1] == nil)
        #expect(WireMessage([10, 0x7f, 1]).isBroken)
        #expect(
            WireMessage([10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1]).isBroken)
        #expect(WireMessage([8, 0x96, 1])[number: 1] == 150)
    }
}
