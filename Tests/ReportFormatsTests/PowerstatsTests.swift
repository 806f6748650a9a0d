import CallStacks
import LogExtraction
import StackRendering
import Symbolication
import Testing

@testable import ReportFormats

/// Reports of iOS 8 to 11 about excessive CPU use, with call trees below their threads.
@Suite("Call trees in text reports")
struct PowerstatsTests {
    private static let head = """
        Incident Identifier: 6156848E-0000-0000-0000-000000000000
        Hardware Model:      iPhone7,2
        Process:             Shop [4711]
        Identifier:          com.example.shop
        Version:             34 (1.2)
        OS Version:          iOS 9.0 (13A344)

        Exception Type:  EXC_RESOURCE
        Exception Subtype: CPU
        Exception Message: (Limit 50%) Observed 60% over 180 secs
        Triggered by Thread:  0

        """
    private static let threads = """

        Thread 0 name:  Dispatch queue: com.apple.main-thread
        Thread 0 Attributed:
        0   libsystem_kernel.dylib        \t0x000000018bd01ae4 0x18bd00000 + 6884
        1   Shop                          \t0x0000000104a2fb34 0x104a2c000 + 15156

        """
    private static let samples = """

        Powerstats for:  Shop [4711]
        UUID:            CF441AF5-BB7E-3567-8D44-451D69214D92
        Microstackshots: 12 samples (34%)
        Primary state:   10 samples Frontmost App, Kernel mode
          12 Shop 0x104a2c000 + 15156 [0x104a2fb34]
            9 libsystem_kernel.dylib 0x18bd00000 + 6884 [0x18bd01ae4]
            2 ??? [0x104a2fb40]
            1 libsystem_kernel.dylib 0x18bd00000 + 7000 [0x18bd01b58]

        """
    private static let images = """

        Binary Images:
        0x104a2c000 - 0x104a2ffff Shop arm64  <cf441af5bb7e35678d44451d69214d92> /private/Shop
        0x18bd00000 - 0x18bd23fff libsystem_kernel.dylib arm64  <4444444444444444444444444444447b> /usr/lib/k

        """

    private func reports(_ text: String) -> [CrashReport] {
        CrashFileReader().read(Array(text.utf8)).reports
    }

    @Test("call-tree nodes are a separate report, not frames of a thread")
    func threadsAndSamples() throws {
        let reports = reports(Self.head + Self.threads + Self.samples + Self.images)
        try #require(reports.count == 2)
        let threads = reports[0].resolved()
        #expect(threads.tree.stacks.count == 1)
        #expect(threads.tree.frames.count == 2)
        let samples = reports[1].resolved()
        #expect(samples.kind == .cpuException)
        #expect(samples.tree.form == .sampled)
        try #require(samples.tree.frames.map(\.samples) == [12, 9, 2, 1])
        #expect(samples.tree.frames.map(\.parent) == [nil, 0, 0, 0])
        #expect(samples.tree.frames.map(\.address?.rawValue).first == 0x1_04a2_fb34)
        #expect(samples.tree.frames[0].image == ImageID("CF441AF5-BB7E-3567-8D44-451D69214D92"))
        #expect(samples.tree.frames[0].site == .returnAddress(ImageOffset(15156)))
        #expect(samples.tree.frames[1].site == .programCounter(ImageOffset(6884)))
        #expect(samples.details.bundleIdentifier == "com.example.shop")
    }

    @Test("the order of threads, trees and images is irrelevant, and so is a separate image list")
    func order() throws {
        let own = Self.samples.dropLast() + Self.images.replacing("\nBinary", with: "  Binary")
        for text in [
            Self.threads + Self.images + Self.samples, Self.samples + Self.threads + Self.images,
            Self.threads + own,
        ] {
            let reports = reports(Self.head + text)
            let threads = reports.filter { $0.resolved().tree.form == .threads }
            let samples = reports.filter { $0.resolved().tree.form == .sampled }
            #expect(threads.flatMap { $0.resolved().tree.frames }.count == 2)
            #expect(samples.flatMap { $0.resolved().tree.frames }.count == 4)
            #expect(samples.first?.resolved().tree.frames.first?.image != nil)
        }
    }

    @Test("a report without threads consists of its trees")
    func samplesAlone() {
        let reports = reports(Self.head + Self.samples + Self.images)
        #expect(reports.count == 1)
        #expect(reports.first?.resolved().tree.frames.count == 4)
    }

    @Test(
        "a thread that did not crash is not called crashed",
        arguments: ["Attributed", "Highlighted"])
    func marks(word: String) throws {
        let text = Self.head + Self.threads.replacing("Attributed", with: word) + Self.images
        let diagnostic = try #require(reports(text).first).resolved()
        try #require(!diagnostic.tree.stacks.isEmpty)
        #expect(diagnostic.tree.stacks[0].isAttributed)
        let result = Symbolicator(provider: NoSymbols()).symbolicate(diagnostic, with: .init())
        for form in [StackText().report(of: result), try AppleCrashText(of: result).text] {
            #expect(form.contains("Thread 0 \(word):"))
            #expect(!form.contains("Crashed:"))
        }
    }

    @Test("an excerpt of a spindump is recognised")
    func excerpt() throws {
        let thread = """
              Thread 0x4d2    DispatchQueue "com.apple.main-thread"(1)    30 samples (1-30)
              30  start + 6076 (dyld + 15028) [0x18b0ef154]
                30  ??? (Shop + 15156) [0x104a2fb34]

            """
        for text in [thread, thread.split(separator: "\n").dropFirst().joined(separator: "\n")] {
            let report = try #require(reports(text).first)
            #expect(report.format == .spindump)
            #expect(report.resolved().tree.frames.map(\.parent) == [nil, 0])
        }
    }

    @Test("of very many sections only the first are read, and no line becomes a frame")
    func manySections() {
        let count = CrashTextCallTrees.sectionsLimit + 1
        let text = String(repeating: Self.threads + Self.samples, count: count)
        let reports = reports(Self.head + text + Self.images)
        let samples = reports.filter { $0.resolved().tree.form == .sampled }
        #expect(samples.count <= CrashTextCallTrees.sectionsLimit)
    }
}
