import CallStacks
import LogExtraction
import ReportFixtures
import Testing

/// `--uuid NAME=UUID`: each report has an image `Kit` without an identity.
@Suite("Identities supplied for image names")
struct IdentityTests {
    private static let id = ImageID("4c4c448155553144a199bfceae3fe729")!

    @Test(
        "supplied identities apply in every format",
        arguments: [
            """
            {"threads":[{"frames":[{"imageIndex":0,"imageOffset":16}]}],
            "usedImages":[{"base":4096,"size":4096,"name":"Kit"}]}
            """,
            """
            {"crash":{"threads":[{"crashed":true,"backtrace":{"contents":[{"instruction_addr":4112}]}}]},
            "binary_images":[{"image_addr":4096,"image_size":4096,"name":"/Kit"}]}
            """,
            "Thread 0:\n0 Kit 0x1010 0x1000 + 16\n",
            "Thread 0:\n0 K 0x1010 0x1000 + 16\n\nBinary Images:\n0x1000 - 0x1fff Kit arm64 /a/Kit\n",
            """
            Event:  hang
            Process:  Orchard [431]
              Thread 0x1b    Thread name "main"    9 samples (1-9)
              9  ??? (Kit + 16) [0x1010]

            Binary Images:
               0x1000 - 0x1fff Kit (1.0) /Kit
            """,
            """
            Analysis of sampling Orchard (pid 431) every 1 millisecond
            Call graph:
                9 Thread_17
                + 9 ???  (in Kit)  load address 0x1000 + 0x10  [0x1010]

            Binary Images:
               0x1000 - 0x1fff +Kit (1.0) /Kit
            """,
            """
            *** Program crashed: Illegal instruction at 0x0000000000001010 ***

            Thread 0 "main" crashed:

            0 0x0000000000001010 <unknown> in Kit

            Images (1 omitted):

            0x0000000000001000–0x0000000000002000 <no build ID> Kit /Kit

            Backtrace took 0.01s

            """,
            "ABI: 'arm64'\nbacktrace:\n      #00 pc 0000000000000010  /data/Kit\n",
        ])
    func formats(text: String) throws {
        let without = try #require(CrashFileReader().read(bytes(text)).diagnostics.first)
        #expect(without.tree.frames.map(\.image) == [nil])
        let reader = CrashFileReader(identities: ["Kit": Self.id])
        let with = try #require(reader.read(bytes(text)).diagnostics.first)
        #expect(with.tree.frames.map(\.image) == [Self.id])
        #expect(with.tree.frames.map(\.site?.offset) == [ImageOffset(16)])
        #expect(with.tree.frames.map(\.remarks) == [[]])
        #expect(with.images.map(\.id) == [Self.id])
    }
}
