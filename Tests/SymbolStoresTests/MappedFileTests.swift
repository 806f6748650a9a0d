import ByteReading
import Foundation
import TestSupport
import Testing

@testable import SymbolStores

@Suite("Mapped files")
struct MappedFileTests {
    @Test("released pages are read from the file again")
    func release() throws {
        let folder = try TestFolder()
        let contents = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let path = folder.path("mapped")
        try replaceFile(at: path, with: contents)
        let bytes = try MappedFile.bytes(of: path)
        for range in [0..<bytes.count, 5..<6, 4_095..<4_097, 8_192..<90_000, 7..<7] {
            bytes.release(range)
            let read = bytes.withSpan(of: 0..<bytes.count) { span in span.indices.map { span[$0] } }
            #expect(read == contents)
        }
    }

    @Test("a file is replaced completely, and no draft is left")
    func replacement() throws {
        let folder = try TestFolder()
        let path = folder.path("file")
        try replaceFile(at: path, with: [1, 2, 3])
        try replaceFile(at: path, with: [4])
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([4]))
        #expect(folder.names(in: "") == ["file"])
    }

    @Test("a failed write is an error with the path")
    func refusal() throws {
        let folder = try TestFolder()
        #expect {
            try replaceFile(at: folder.path("missing/file"), with: [1])
        } throws: { error in
            "\(error)".contains("missing/file: cannot be written: no such file or directory")
        }
    }
}
