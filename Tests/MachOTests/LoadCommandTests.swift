import ByteReading
import MachO
import TestSupport
import Testing

@Suite("Damaged load commands")
struct LoadCommandTests {
    /// Returns the error of opening a library with this load command.
    private func error(command: [UInt8]) -> ReadingError? {
        var file = MachOBuilder.library()
        file.uuid = nil
        file.commands = [command]
        return #expect(throws: ReadingError.self) { try MachOImage(FileBytes(file.bytes())) }
    }

    private func command(_ kind: UInt32, size: UInt32, payload: [UInt8] = []) -> [UInt8] {
        var command = ByteWriter()
        command.add(kind)
        command.add(size)
        command.add(payload)
        return command.bytes
    }

    /// The offset of the command after the segment.
    private let place: UInt64 = 72 + 80

    @Test("a size of 0, smaller than its header, or unaligned is an error at the command")
    func sizes() {
        for size in [0, 4, 7, 9, 10, 11] as [UInt32] {
            let error = error(command: command(0x99, size: size, payload: [0, 0, 0, 0]))
            #expect(error?.reason == .malformed("command has a size of \(size) bytes"))
            #expect(error?.offset == place)
            #expect(error?.subject == "load commands")
        }
    }

    @Test("a command that extends past the commands is an error at the command")
    func overrun() {
        for size in [12, 0x8000_0000, 0xffff_fffc] as [UInt32] {
            let error = error(command: command(0x99, size: size))
            #expect(error?.reason == .needs(bytes: UInt64(size), has: 8))
            #expect(error?.offset == place)
        }
    }

    @Test("a command too short for its kind is an error, and does not read the next command")
    func shortCommands() {
        for kind in [0x1, 0x19, 0x1b, 0x32] as [UInt32] {
            #expect(error(command: command(kind, size: 8))?.reason.isNeed == true)
        }
    }

    @Test("a segment of 2³¹ sections is an error after the existing ones")
    func sectionCount() {
        var payload = ByteWriter()
        payload.add([UInt8](repeating: 0, count: 56))
        payload.add(1 << 31 as UInt32)
        payload.add(0 as UInt32)
        let error = error(command: command(0x19, size: 72, payload: payload.bytes))
        #expect(error?.offset == place + 72)
    }

    @Test("more commands than bytes for them are an error")
    func commandCount() {
        var bytes = MachOBuilder.library().bytes()
        bytes.replaceSubrange(16..<20, with: [0xff, 0xff, 0xff, 0xff])
        #expect(throws: ReadingError.self) { try MachOImage(FileBytes(bytes)) }
    }

    @Test("commands longer than the file are an error")
    func commandBytes() {
        var bytes = MachOBuilder.library().bytes()
        bytes.replaceSubrange(20..<24, with: [0xff, 0xff, 0xff, 0xff])
        let error = #expect(throws: ReadingError.self) { try MachOImage(FileBytes(bytes)) }
        #expect(error?.offset == 32)
    }

    @Test("a symbol table or function starts outside the file are errors on access")
    func tablesPastEnd() throws {
        var file = MachOBuilder.library()
        file.commands = [
            file.command(0x2, [0, .max, 0, 0]), file.command(0x26, [.max, .max]),
        ]
        let image = try MachOImage(FileBytes(file.bytes()))
        let symbols = #expect(throws: ReadingError.self) { try image.symbols() }
        #expect(symbols?.reason.isNeed == true)
        let starts = #expect(throws: ReadingError.self) { try image.forEachFunctionStart { _ in } }
        #expect(starts?.reason.isNeed == true)
    }

    @Test("every prefix of a file is read or is an error")
    func prefixes() {
        let bytes = MachOBuilder.everything.bytes()
        for end in bytes.indices { readAll(Array(bytes[..<end])) }
    }

    @Test(
        "a file with any bytes changed is read or is an error", arguments: 0..<50 as Range<UInt64>)
    func damage(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let bytes = MachOBuilder.everything.bytes()
        for _ in 0..<100 { readAll(bytes.damaged(using: &numbers)) }
    }

    /// Reads everything; the test is that this returns.
    private func readAll(_ bytes: [UInt8]) {
        do throws(ReadingError) {
            let image = try MachOImage(FileBytes(bytes))
            _ = image.layout
            for section in image.sections { _ = try image.bytes(of: section) }
            _ = try image.symbols()?.forEach { _ in }
            _ = try image.symbols()?.namesObjectFiles()
            try image.forEachFunctionStart { _ in }
        } catch { #expect(!error.subject.isEmpty) }
    }
}

extension ReadingError.Reason {
    fileprivate var isNeed: Bool {
        guard case .needs = self else { return false }
        return true
    }
}

extension MachOBuilder {
    /// A library with every kind of command that is read.
    fileprivate static var everything: Self {
        var file = library()
        file.segments.append(
            Segment("__DWARF", at: 0, [Section("__debug_info", contents: [1, 2, 3, 4])]))
        file.symbols = [Symbol("_one", at: 0x1_0000_1000), Symbol("_two", at: 0x1_0000_1080)]
        file.functionStarts = [0x80, 0x20, 0x80, 0x01, 0]
        file.commands = [file.command(0x32, [2, 0, 0, 0])]
        return file
    }
}
