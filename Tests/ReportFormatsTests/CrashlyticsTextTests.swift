import CallStacks
import LogExtraction
import ReportFormats
import Testing

@Suite("Crashlytics text downloads")
struct CrashlyticsTextTests {
    private static let text = """
        # Crashlytics - Stack trace
        # Application: com.example.shop
        # Platform: apple
        # Version: 1.4.0 (37)
        # Issue: 5a1b2c3d4e5f60718293a4b5c6d7e8f9
        # Session: 8c1f0000000000000000000000000000
        # Date: Wed Aug 05 2020 10:20:30 GMT+0200 (CEST)

        Crashed: com.apple.main-thread
        0  libswiftCore.dylib             0x3e7dc _assertionFailure(_:_:file:line:flags:) + 312
        1  Shop                           0x9280 (Missing UUID cf441af5bb7e35678d44451d69214d92)
        2  Shop                           0x3acc Cart.checkout() + 68 (Cart.swift:12)
        3  Pay                            0x1234 (Missing)

        com.apple.uikit.eventfetch-thread
        0  libsystem_kernel.dylib         0xf24 mach_msg2_trap + 8

        """

    @Test("the identity of an image without symbols is read, and no function is invented")
    func missing() throws {
        let file = CrashFileReader().read(Array(Self.text.utf8))
        let report = try #require(file.reports.first)
        #expect(file.reports.count == 1)
        let diagnostic = report.resolved()
        #expect(diagnostic.kind == .crash)
        let tree = diagnostic.tree
        #expect(
            tree.stacks.map(\.name) == [
                "com.apple.main-thread", "com.apple.uikit.eventfetch-thread",
            ])
        #expect(tree.stacks.map(\.isAttributed) == [true, false])
        #expect(tree.stacks.map(\.frames.count) == [4, 1])
        try #require(tree.frames.count > 1)
        #expect(tree.frames[1].image == ImageID("CF441AF5-BB7E-3567-8D44-451D69214D92"))
        #expect(tree.frames[1].site == .returnAddress(ImageOffset(0x9280)))
        #expect(tree.reportedFunctions[1] == nil)
        #expect(tree.reportedFunctions[3] == nil)
        #expect(tree.reportedFunctions[2]?.first?.name == "Cart.checkout()")
        #expect(tree.reportedFunctions[2]?.first?.line == 12)
        #expect(diagnostic.details.bundleIdentifier == "com.example.shop")
        #expect(diagnostic.details.appVersion == "1.4.0")
        #expect(diagnostic.details.appBuild == "37")
        #expect(diagnostic.details.timestamp == "Wed Aug 05 2020 10:20:30 GMT+0200 (CEST)")
    }

    /// Stacks as people copy them, without the header.
    private static let copied = """
        Fatal Exception: NSRangeException
        0  CoreFoundation                 0x18d02051c __exceptionPreprocess
        1  Shop                           0x10234fa80 Cart.total() + 22 (Cart.swift:22)

        #0. Crashed: com.apple.main-thread
        0  Shop                           0x1000d5f40 Cart.checkout() + 9 (Cart.swift:9)

        com.apple.uikit.eventfetch-thread
        0  libsystem_kernel.dylib         0x1c0f1a6c8 mach_msg2_trap + 8

        """

    @Test("stacks without the header have their exception and the names of their threads")
    func headless() throws {
        let reports = CrashFileReader().read(Array(Self.copied.utf8)).reports
        #expect(reports.count == 1)
        let diagnostic = try #require(reports.first).resolved()
        #expect(diagnostic.kind == .crash)
        #expect(diagnostic.details.exceptionName == "NSRangeException")
        #expect(diagnostic.tree.stacks.map(\.role) == [.lastException, .thread, .thread])
        #expect(
            diagnostic.tree.stacks.map(\.name) == [
                nil, "com.apple.main-thread", "com.apple.uikit.eventfetch-thread",
            ])
        #expect(diagnostic.tree.stacks.map(\.isAttributed) == [false, true, false])
    }

    @Test("a text in a stream is one report, and stacks without a header keep their headings")
    func stream() throws {
        func diagnostics(_ text: String) -> [Diagnostic] {
            var stream = ReportStream()
            let pieces = stream.add(Array("ready\n\(text)".utf8)) + stream.end()
            return pieces.flatMap { piece in
                guard case .report(let bytes) = piece else { return [] as [Diagnostic] }
                return CrashFileReader().read(bytes).reports.map { $0.resolved() }
            }
        }
        let whole = diagnostics(Self.text)
        #expect(whole.map(\.tree.stacks.count) == [2])
        #expect(whole.first?.details.bundleIdentifier == "com.example.shop")
        let stacks = diagnostics(Self.copied).flatMap(\.tree.stacks)
        #expect(stacks.map(\.frames.count) == [2, 1, 1])
        #expect(stacks.prefix(2).map(\.role) == [.lastException, .thread])
        #expect(stacks.dropFirst().first?.name == "com.apple.main-thread")
    }

    @Test("each of several texts is a report of its own")
    func several() {
        let reports = CrashFileReader().read(Array((Self.text + Self.text).utf8)).reports
        #expect(reports.map { $0.resolved().tree.stacks.count } == [2, 2])
        #expect(reports.map(\.format) == [.crashText, .crashText])
    }

    @Test("the stack of an exception has return addresses, and threads may be numbered")
    func exception() throws {
        let text = """
            # Issue #: 12
            # Session ID: 5c1f
            # Device: iPhone 8

            Fatal Exception: NSRangeException
            0  CoreFoundation                 0x1197d8 __exceptionPreprocess
            1  Shop                           0x9280 (Missing UUID cf441af5bb7e35678d44451d69214d92)

            --

            #1. com.example.worker
            0  Shop                           0x9284 (Missing UUID cf441af5bb7e35678d44451d69214d92)

            """
        let tree = try #require(CrashFileReader().read(Array(text.utf8)).reports.first).resolved()
            .tree
        #expect(tree.stacks.map(\.role) == [.lastException, .thread])
        try #require(tree.stacks.count > 1 && tree.frames.count > 2)
        #expect(tree.stacks[1].name == "com.example.worker")
        #expect(tree.frames[2].site == .programCounter(ImageOffset(0x9284)))
    }
}
