import CallStacks
import LogExtraction
import MetricKitPayloads
import ReportFormats
import Testing

@Suite("Spindumps")
struct SpindumpTests {
    /// Frames of the sample app, the first two with inlined functions.
    private let images = """
          Binary Images:
                   0x104a2c000 -        0x104a3bfff  com.example.orchard 1.4.0 (120)  \
        <4C4C4481-5555-3144-A199-BFCEAE3FE729>  /private/var/Orchard.app/Orchard
                   0x105b40000 -        0x105b4bfff  com.example.kit (1)  \
        <4C4C44E3-5555-3144-A103-3964DAADDC31>  /private/var/Orchard.app/OrchardKit
           *0xfffffe0007004000 -                ???  kernel (20.3.0)  \
        <9C4F1A77-1D5C-3B0E-8A46-5D2E0C7F9B31>  /System/Library/Kernels/kernel

        """

    private func diagnostics(_ text: String) -> [Diagnostic] {
        CrashFileReader().read(Array(text.utf8)).reports.map { $0.resolved() }
    }

    private func frames(_ tree: String, arch: String = "arm64") throws -> [CallFrame] {
        let text = """
            Event:            hang
            Architecture:     \(arch)
            Process:          Orchard [431]

              Thread 0x1b7294    Thread name "Press"    3 samples (1-3)
            \(tree)

            \(images)
            """
        return try #require(diagnostics(text).first).tree.frames
    }

    @Test(
        "the main executable's identity comes from the header if the image list has none",
        arguments: [
            ("UUID:   4C4C4481-5555-3144-A199-BFCEAE3FE729", ""),
            ("UUID:   Unknown", "4c4c4481-5555-3144-a199-bfceae3fe729"),
            ("Path:   /private/var/Orchard", "4c4c4481-5555-3144-a199-bfceae3fe729"),
        ])
    func mainExecutable(key: String, slice: String) throws {
        let text = """
            {"bug_type":"202","name":"Orchard","slice_uuid":"\(slice)"}
            Event:            cpu usage
            Command:          Orchard
            Powerstats for:   Orchard [431]
            \(key)
              3  ??? (Orchard + 16556) [0x104a300ac]

              Binary Images:
                       0x104a2c000 -                ???  com.example.orchard 1.4.0 (120)  /var/Orchard

            """
        let diagnostic = try #require(diagnostics(text).first)
        #expect(
            diagnostic.tree.frames.map(\.image) == [ImageID("4c4c448155553144a199bfceae3fe729")])
        #expect(diagnostic.images.count == 1)
    }

    @Test("without an event, the header line before a report determines its kind")
    func kind() throws {
        let text = """
            {"bug_type":"202","name":"Orchard","os_version":"iOS 18.1"}
            Data Source:      Microstackshots
            Command:          Orchard
              3  ??? (Orchard + 16556) [0x104a300ac]

            """
        #expect(try diagnostics(text).map(\.kind) == [.cpuException])
        let plain = text.split(separator: "\n").dropFirst().joined(separator: "\n")
        #expect(try diagnostics(plain).map(\.kind) == [.unknown])
    }

    @Test("a leaf is looked up at its address, and its callers one byte before theirs")
    func sites() throws {
        let frames = try frames(
            """
              3  ??? (Orchard + 16556) [0x104a300ac] 1-3
                3  ??? (Orchard + 16912) [0x104a30210] 1-3 (running)
            """)
        #expect(
            frames.map(\.site) == [
                .returnAddress(ImageOffset(16556)), .programCounter(ImageOffset(16912)),
            ])
        #expect(frames.map(\.samples) == [3, 3])
    }

    /// A stack of one recursive function, and an unrelated line between the lines of a frame.
    private func heaviest(_ path: String, tree: String) -> String {
        """
        Event:            hang
        Architecture:     arm64

        Heaviest stack for the main thread of the target process:
        \(path)

        Process:          Orchard [431]

          Thread 0x1b7294    3 samples (1-3)
        \(tree)

        \(images)
        """
    }

    @Test("each call of a recursive function is written, in trees and in the heaviest stack")
    func recursion() async throws {
        let line = "3  ??? (Orchard + 16556) [0x104a300ac]"
        let text = heaviest(
            "  \(line)\n  \(line)\n  \(line)",
            tree: "  \(line) 1-3\n    \(line) 1-3\n      \(line) 1-3")
        let once = await SymbolicatedFile(text).text
        let path = once.split(separator: "\n").filter { $0.contains("[0x104a300ac]") }
        let depths = path.map { $0.prefix { $0 == " " }.count }
        let count = path.count / 6
        #expect(path.count == 6 * count && count > 0)
        #expect(depths.prefix(3 * count).allSatisfy { $0 == 2 })
        #expect(await SymbolicatedFile(once).text == once)
    }

    @Test("inlined calls are written once if unrelated lines are between them")
    func split() async throws {
        let line = "3  ??? (OrchardKit + 16752) [0x105b44170]"
        let plain = await SymbolicatedFile(
            heaviest("  \(line)", tree: "  \(line) 1-3")
        ).text
        let strange = "  not a frame " + String(repeating: "x", count: 1 << 16)
        let rows = plain.split(separator: "\n").filter { $0.contains("[0x105b44170]") }
        #expect(rows.count > 2)
        let parted = plain.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { $0.contains("[inlined]") ? [strange[...], $0] : [$0] }
            .joined(separator: "\n")
        let written = await SymbolicatedFile(parted).text
        #expect(
            written.split(separator: "\n").filter { $0.contains("[0x105b44170]") }.count
                == rows.count)
        #expect(written.split(separator: "\n").filter { $0 == strange }.count == rows.count / 2)
        #expect(await SymbolicatedFile(written).text == written)
    }

    @Test("a frame with fewer samples than the frames below it is marked, and keeps its number")
    func inconsistentCounts() throws {
        let frames = try frames(
            """
              3  main + 10 (Orchard + 16556) [0x104a300ac]
                2  run + 10 (Orchard + 16600) [0x104a300d8]
                  2  step + 10 (Orchard + 16640) [0x104a30100]
                2  rest + 10 (Orchard + 16700) [0x104a3013c]
            """)
        #expect(frames.map(\.samples) == [3, 2, 2, 2])
        #expect(
            frames.map { $0.remarks.contains(.sampleCountInconsistent) }
                == [true, false, false, false])
    }

    @Test("offsets that are already moved back are looked up unchanged")
    func parity() throws {
        let tree = """
              3  ??? (Orchard + 16555) [0x104a300ab] 1-3
                3  ??? (Orchard + 16913) [0x104a30211] 1-3
            """
        #expect(
            try frames(tree).map(\.site) == [
                .adjusted(ImageOffset(16555)), .returnAddress(ImageOffset(16913)),
            ])
        #expect(
            try frames(tree, arch: "x86_64").map(\.site) == [
                .returnAddress(ImageOffset(16555)), .programCounter(ImageOffset(16913)),
            ])
    }

    @Test(
        "an address takes precedence over an offset, and a name is used if no image contains the address"
    )
    func addresses() throws {
        let frames = try frames(
            """
              3  ??? (Orchard + 12) [0x104a300ac] 1-3
                3  ??? (Elsewhere + 12) [0x104a30210] 1-3
                  3  ??? (Orchard + 16) [0x7fff00000000] 1-3
                    3  ??? (Elsewhere + 20) [0x7fff00000000] 1-3
                      3  ??? [0x105b440b0] 1-3
            """)
        #expect(frames.map { $0.site?.offset.rawValue } == [16556, 16912, 16, 20, 16560])
        #expect(frames.map { $0.image != nil } == [true, true, true, false, true])
        try #require(frames.count > 3)
        #expect(frames[3].remarks == [.noUUID])
    }

    @Test("kernel frames are below the call that led to them")
    func kernel() throws {
        let frames = try frames(
            """
              3  ??? (Orchard + 16556) [0x104a300ac] 1-3
                3  mach_msg2_trap + 8 (libsystem_kernel.dylib + 3124) [0x18b454c34] 1-3
               *3  ipc_mqueue_receive_continue + 0 (kernel + 640000) [0xfffffe00070a0400] 1-3
                 *3  ??? (kernel + 2808396) [0xfffffe00072b1a4c] 1-3
            """)
        #expect(frames.map(\.parent) == [nil, 0, 0, 2])
        try #require(frames.count > 3)
        #expect(frames[3].imageName == "kernel")
        #expect(frames[3].site == .programCounter(ImageOffset(2_808_396)))
    }

    @Test("lines that name no code are kept, with their samples")
    func opaque() async throws {
        let text = """
            Event:            hang
            Command:          Orchard
            Architecture:     arm64

              Thread 0x1b7294    3 samples (1-3)
              3  ??? (Orchard + 18036) [0x104a30674] 1-3
                2  <patched truncated backtrace> 1-2
                  2  ??? (Orchard + 16556) [0x104a300ac] 1-2
                1  Basket (no address at all)
                  *1  <truncated>
                1  ??? (Orchard + 16556) 1-3
            \(String(repeating: "x", count: 1 << 17))

            \(images)
            """
        let symbolicated = await SymbolicatedFile(text)
        #expect(symbolicated.frames.map(\.parent) == [nil, 0, 1, 0, 0])
        #expect(symbolicated.frames.map(\.samples) == [3, 2, 2, 1, 1])
        let functions = symbolicated.file.reports.first?.resolved().tree.reportedFunctions
        #expect(functions?[1]?.map(\.name) == ["<patched truncated backtrace>"])
        try #require(symbolicated.frames.count == 5)
        #expect(symbolicated.frames[4].site?.offset == ImageOffset(16_556))
        #expect(symbolicated.frames[4].image == symbolicated.frames[0].image)
        #expect(
            symbolicated.text.contains(
                """
                  3  main + 28 (OrchardApp.swift:0 in Orchard + 18036) [0x104a30674] 1-3
                    3  static OrchardApp.$main() + 20 (<compiler-generated>:0 in Orchard + 18036) \
                [0x104a30674] 1-3 [inlined]
                      3  static OrchardApp.main() + 20 (OrchardApp.swift:8,22 in Orchard + 18036) \
                [0x104a30674] 1-3 [inlined]
                        2  <patched truncated backtrace> 1-2
                          2  buttonTapped(_:) + 168 (Buttons.swift:16,14 in Orchard + 16556) \
                [0x104a300ac] 1-2
                        1  Basket (no address at all)
                          *1  <truncated>
                        1  ??? (Orchard + 16556) 1-3

                """))
    }

    @Test("microstackshots have trees without threads")
    func microstackshots() async throws {
        let text = """
            Data Source:      Microstackshots
            Command:          Orchard
            Event:            cpu usage
            Duration:         53.98s

            Powerstats for:   Orchard [431]
            Path:             /private/var/Orchard.app/Orchard
            Architecture:     arm64
            Primary state:    20 samples Frontmost App, User mode, Effective Thread QoS Default
            User Activity:    20 samples Active
            Power Source:     0 samples on Battery and 20 samples on AC
              20 Orchard 0x104a2c000 + 18036 [0x104a30674]
                20 OrchardKit 0x105b40000 + 16560 [0x105b440b0]
            Primary state:    3 samples Non-Frontmost App
              3 Orchard 0x104a2c000 + 16912 [0x104a30210]

            \(images)
            """
        let symbolicated = await SymbolicatedFile(text)
        let diagnostic = try #require(symbolicated.file.reports.first).resolved()
        #expect(diagnostic.kind == .cpuException)
        #expect(diagnostic.details.measurement == "53.98s")
        #expect(diagnostic.tree.stacks.map(\.frames) == [0..<2, 2..<3])
        #expect(
            symbolicated.text.contains(
                """
                    20 static OrchardApp.$main() + 20 (<compiler-generated>:0 in Orchard + 18036) \
                [0x104a30674] [inlined]
                      20 static OrchardApp.main() + 20 (OrchardApp.swift:8,22 in Orchard + 18036) \
                [0x104a30674] [inlined]
                        20 ok_rebuild_index + 60 (Index.c:40,9 in OrchardKit + 16560) [0x105b440b0]
                """))
        #expect(await SymbolicatedFile(symbolicated.text).text == symbolicated.text)
    }

    private func dump(command: String) -> String {
        let process = { (name: String, number: Int) in
            """
            Process:          \(name) [\(number)]

              Thread 0x\(number)    DispatchQueue "com.example.\(name)"(1)    1 samples (1-1)
              1  ??? (Orchard + 16912) [0x104a30210] 1

            \(self.images)

            """
        }
        return "Data Source:      Stackshots\n\(command)\n" + process("Press", 430)
            + process("Orchard", 431) + process("Orchard", 432)
    }

    @Test("a dump of the whole system is read for the process that it is about")
    func processes() {
        func labels(_ command: String) -> [String?] {
            CrashFileReader().read(Array(dump(command: command).utf8)).reports.map(\.label)
        }
        #expect(labels("Command:          Orchard\nPID:              432") == ["Orchard [432]"])
        #expect(labels("Command:          Orchard") == ["Orchard [431]", "Orchard [432]"])
        #expect(labels("") == ["Press [430]", "Orchard [431]", "Orchard [432]"])
        #expect(
            labels("Command:          Cider") == ["Press [430]", "Orchard [431]", "Orchard [432]"])
    }

    @Test("a dump of the whole system is read for other processes if they are selected")
    func chosenProcesses() {
        let text = dump(command: "Command:          Orchard\nPID:              432")
        func labels(_ choice: ProcessFilter) -> [String?] {
            CrashFileReader(processes: choice).read(Array(text.utf8)).reports.map(\.label)
        }
        #expect(labels(.named(["Press"])) == ["Press [430]"])
        #expect(labels(.named(["Orchard"])) == ["Orchard [431]", "Orchard [432]"])
        #expect(labels(.named(["431", "Press"])) == ["Press [430]", "Orchard [431]"])
        #expect(labels(.all) == ["Press [430]", "Orchard [431]", "Orchard [432]"])
        // A dump of several samples names a process in each of them.
        let file = CrashFileReader(processes: .named(["Cider", "7"])).read(
            Array((text + text).utf8))
        #expect(file.reports.isEmpty)
        #expect(
            file.unread.map { "\($0.problem)" } == [
                "has no process 'Cider' or '7': pass one of Press [430], Orchard [431], "
                    + "Orchard [432]"
            ])
    }

    @Test("the heaviest stack belongs to its process")
    func heaviestOfTarget() throws {
        let dump = dump(command: "Command:          Orchard\nPID:              432")
        let text = dump.replacing(
            "\nProcess:          Press",
            with: """

                Heaviest stack for the target process:
                  1  ??? (Orchard + 16912) [0x104a30210]

                Process:          Press
                """)
        func frames(_ names: String...) -> [Int] {
            CrashFileReader(processes: .named(names)).read(Array(text.utf8)).reports.map {
                $0.resolved().tree.frames.count
            }
        }
        #expect(frames("Press") == [1])
        #expect(frames("432") == [1])
    }

    @Test("processes that the dump is not about stay unchanged")
    func others() async throws {
        let text = dump(command: "Command:          Orchard\nPID:              432")
        let symbolicated = await SymbolicatedFile(text).text
        let untouched = text[
            ..<(try #require(text.firstRange(of: "Process:          Orchard [432]")).lowerBound)]
        #expect(symbolicated.hasPrefix(String(untouched)))
        #expect(
            symbolicated.contains("1  rebuildIndex(rows:) + 12 (Kit.swift:61,5 in Orchard + 16912)")
        )
    }

    @Test("a dump may consist of its heaviest stack")
    func heaviestAlone() async {
        let text = """
            Event:            disk writes
            Command:          Orchard
            Writes:           1073.74 MB of file backed memory dirtied

            Heaviest stack for the target process:
              9  ??? (Orchard + 18036) [0x104a30674]
              4  ??? (Orchard + 16912) [0x104a30210]

            \(images)
            """
        let symbolicated = await SymbolicatedFile(text)
        #expect(symbolicated.frames.map(\.parent) == [nil, 0])
        #expect(symbolicated.file.reports.first?.resolved().kind == .diskWriteException)
        #expect(
            symbolicated.text.contains("\n  9  static OrchardApp.main() + 20 (OrchardApp.swift:8"))
        #expect(
            symbolicated.text.contains("\n  4  rebuildIndex(rows:) + 12 (Kit.swift:61,5 in Orchard")
        )
    }

    @Test("line ends are kept")
    func lineEnds() async throws {
        let text = try HungOrchard.spindump()
        let plain = await SymbolicatedFile(text).text
        let pairs = await SymbolicatedFile("\u{feff}" + text.replacing("\n", with: "\r\n")).text
        #expect(pairs == "\u{feff}" + plain.replacing("\n", with: "\r\n"))
    }

    @Test("very deep trees are indented no further than can be read")
    func deep() async {
        let tree = (0..<514).map { depth in
            String(repeating: "  ", count: depth + 1)
                + "1  ??? (Orchard + 18036) [0x104a30674] 1\n"
        }
        let text =
            "Event:            hang\nArchitecture:     arm64\n\n  Thread 0x1    1 samples\n"
            + tree.joined() + "\n" + images
        let once = await SymbolicatedFile(text)
        #expect(once.text.ranges(of: "[inlined]").count == 1_024)
        let twice = await SymbolicatedFile(once.text)
        #expect(twice.text == once.text)
        #expect(twice.frames == once.frames)
    }

    @Test("a dump with more frames than the limit is read up to it and kept whole")
    func limit() throws {
        var limits = PayloadLimits()
        limits.framesPerTree = 10
        let line = "  1  ??? (Orchard + 16912) [0x104a30210] 1\n"
        let text =
            "Event:            hang\n  Thread 0x1    9 samples\n"
            + String(repeating: line, count: 12) + "\n" + images
        let reader = CrashFileReader(limits: limits)
        let report = try #require(reader.read(Array(text.utf8)).reports.first)
        let tree = report.resolved().tree
        #expect(tree.frames.count == 10)
        #expect(tree.remarks == [.frameLimit])
    }

    @Test("a heaviest stack with more lines than the limit has a remark")
    func heaviestLimit() throws {
        var limits = PayloadLimits()
        limits.framesPerTree = 10
        let line = "  1  ??? (Orchard + 16912) [0x104a30210]\n"
        let text =
            "Event:            hang\n\nHeaviest stack for the main thread of the target process:\n"
            + String(repeating: line, count: 12) + "\n  Thread 0x1    9 samples\n\(line)\n" + images
        let reader = CrashFileReader(limits: limits)
        let report = try #require(reader.read(Array(text.utf8)).reports.first)
        #expect(report.resolved().tree.remarks == [.frameLimit])
    }
}
