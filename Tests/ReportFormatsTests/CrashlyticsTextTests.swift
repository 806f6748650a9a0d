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
        #expect(diagnostic.details.appVersion == "1.4.0 (37)")
        #expect(diagnostic.details.timestamp == "Wed Aug 05 2020 10:20:30 GMT+0200 (CEST)")
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
