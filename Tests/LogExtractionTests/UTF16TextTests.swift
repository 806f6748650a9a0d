import LogExtraction
import ReportFixtures
import ReportFormats
import Testing

@Suite("Text in UTF-16")
struct UTF16TextTests {
    /// UTF-16 bytes with a byte-order mark, in either byte order.
    private func wide(_ units: [UInt16], isBigEndian: Bool) -> [UInt8] {
        ([0xfeff] + units).flatMap { unit in
            let pair = [UInt8(unit >> 8), UInt8(unit & 0xff)]
            return isBigEndian ? pair : pair.reversed()
        }
    }

    @Test("UTF-16 is read as UTF-8, and written back as UTF-16", arguments: [false, true])
    func orders(isBigEndian: Bool) throws {
        let text = "Thread 0:\r\n0 Café 💣 0x1010 0x1000 + 16\r\n"
        let received = wide(Array(text.utf16), isBigEndian: isBigEndian)
        let file = try DecodedFile(received, limit: 1 << 20)
        #expect(file.bytes == [0xef, 0xbb, 0xbf] + bytes(text))
        #expect(file.encoded(file.bytes) == received)
        let changed = [0xef, 0xbb, 0xbf] + bytes(text + "ö\n")
        #expect(
            file.encoded(changed)
                == wide(Array((text + "ö\n").utf16), isBigEndian: isBigEndian))
    }

    @Test("damaged UTF-16 is restored unchanged")
    func damaged() throws {
        let units: [UInt16] = [0xd83d, 0x41, 0xdca3, 0xdca3, 0xd83d, 0xfffe, 0, 0xd83d]
        for isBigEndian in [false, true] {
            let whole = wide(units, isBigEndian: isBigEndian)
            for received in [whole, whole + [0x41], Array(whole.prefix(2)), Array(whole.prefix(3))]
            {
                let file = try DecodedFile(received, limit: 1 << 20)
                #expect(file.encoded(file.bytes) == received)
            }
        }
    }

    @Test("UTF-16 is distinguished from UTF-32 and from a mark alone")
    func others() throws {
        for bytes in [[0xff, 0xfe, 0, 0, 0x41, 0, 0, 0], [0xff], [0x41, 0xff, 0xfe]] as [[UInt8]] {
            #expect(try DecodedFile(bytes, limit: 100).bytes == bytes)
        }
    }

    @Test("reports in UTF-16 are read", arguments: [false, true])
    func reports(isBigEndian: Bool) throws {
        let text =
            #"{"callStackTree": {"callStackPerThread": true, "callStacks": [{"threadAttributed": true, "callStackRootFrames": [{"binaryUUID": "4C4C4481-5555-3144-A199-BFCEAE3FE729", "binaryName": "A", "offsetIntoBinaryTextSegment": 16, "address": 4112}]}]}}"#
        let file = try DecodedFile(
            wide(Array(text.utf16), isBigEndian: isBigEndian), limit: 1 << 20)
        #expect(CrashFileReader().read(file).reports.count == 1)
        let narrow = [0xef, 0xbb, 0xbf] + bytes(text)
        #expect(CrashFileReader().read(narrow).reports.count == 1)
    }
}
