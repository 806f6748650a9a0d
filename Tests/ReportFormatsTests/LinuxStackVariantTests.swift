import CallStacks
import LogExtraction
import MetricKitPayloads
import ReportFixtures
import ReportFormats
import TestSupport
import Testing

/// Forms of stacks that differ between versions, systems and programs.
@Suite("Variants of stacks in texts of Linux")
struct LinuxStackVariantTests {
    private func report(_ text: String) throws -> CrashReport {
        try #require(CrashFileReader().read(Array(text.utf8)).reports.first)
    }

    private func diagnostic(_ text: String) throws -> Diagnostic { try report(text).resolved() }

    /// Returns the text with `f` and a source line for each frame.
    private func written(_ text: String) throws -> String {
        var edits: [Edit] = []
        var budget = EditBudget(fileByteCount: text.utf8.count)
        for report in CrashFileReader().read(Array(text.utf8)).reports {
            let diagnostic = report.resolved()
            let found = diagnostic.tree.frames.indices.map {
                ($0, [FoundFunction(name: "f", distance: 1, line: 7)])
            }
            edits += report.edits(
                with: diagnostic.symbolicated(Dictionary(uniqueKeysWithValues: found)),
                budget: &budget)
        }
        return String(decoding: edits.applied(to: Array(text.utf8)), as: UTF8.self)
    }

    @Test("modules of a Mac are named without their architecture")
    func macModules() throws {
        let text = """
            WARNING: ThreadSanitizer: data race (pid=443)
              Read of size 4 at 0x7b0800001174 by thread T3:
                #0 load queue.c:717 (test:x86_64+0x100002d29)
                #1 malloc <null>:3 (libtsan.dylib:x86_64h+0x532ec)

            """
        let tree = try diagnostic(text).tree
        #expect(tree.frames.map(\.imageName) == ["test", "libtsan.dylib"])
        #expect(tree.reportedFunctions[1]?.first?.file == nil)
        try #require(!tree.stacks.isEmpty)
        #expect(tree.stacks[0].name == "Read of size 4 at 0x7b0800001174 by thread T3")
    }

    @Test("a sanitizer's messages about itself are not the title of a stack")
    func ownWarnings() throws {
        let text = """
            ==7==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000
            WRITE of size 1 at 0x6070001174a0 thread T0
            ==7==WARNING: invalid path to external symbolizer!
                #0 0x55f41410c38a  (/src/cellar+0x238a)
                #1 0x55f41410c4c7  (<unknown module>)

            """
        let diagnostic = try diagnostic(text)
        #expect(
            diagnostic.tree.stacks.map(\.name) == ["WRITE of size 1 at 0x6070001174a0 thread T0"])
        #expect(diagnostic.tree.frames.count == 2)
    }

    @Test("libFuzzer's reports have the tool and its message as the title")
    func fuzzer() throws {
        let text = """
            ==7==ERROR: libFuzzer: deadly signal
                #0 0x55f41410c38a  (/src/cellar+0x238a)
                #1 0x55f41410c4c7  (/src/cellar+0x24c7)

            SUMMARY: libFuzzer: deadly signal
            """
        let diagnostic = try diagnostic(text)
        #expect(diagnostic.details.exceptionName == "libFuzzer")
        #expect(diagnostic.details.runtimeMessage == "deadly signal")
        #expect(
            diagnostic.tree.frames.map(\.site) == [
                .adjusted(ImageOffset(0x238a)), .adjusted(ImageOffset(0x24c7)),
            ])
    }

    @Test("the stack of an error in Rust is read", arguments: ["", "web-1  | "])
    func rustError(prefix: String) throws {
        let text = """
            Error: the cask is empty

            Stack backtrace:
               0: anyhow::error::<impl anyhow::Error>::msg
                         at /registry/anyhow-1.0.75/src/error.rs:83:36
               1: cask::pour
                         at ./src/main.rs:4:5

            """
        let log = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map { prefix + $0 + "\n" }.joined()
        let tree = try diagnostic(log).tree
        #expect(tree.frames.count == 2)
        #expect(tree.reportedFunctions[1]?.first?.name == "cask::pour")
        #expect(tree.reportedFunctions[1]?.first?.line == 4)
    }

    @Test("source lines that perf does not know are between the frames of one sample")
    func perfSources() throws {
        let text = """
            cellar 4711/4711   699.075592: cpu-clock:ppp:
            \tffffffff81afa370 security_file_alloc+0x56 ([kernel.kallsyms])
              [kernel.kallsyms][ffffffff81afa370]
            \t            13b8 cellar::toast(int)+0x18 (/src/cellar)
              cellar.cpp:9
            \t            13c9 [unknown] (/src/cellar)
              cellar[13c9]

            """
        let tree = try diagnostic(text).tree
        #expect(tree.stacks.map(\.frames.count) == [3])
        #expect(tree.reportedFunctions[1]?.first?.line == 9)
        let once = try written(text)
        #expect(try written(once) == once)
    }

    @Test("the thread that a signal or an exception stopped is attributed, wherever it is listed")
    func stoppedThread() throws {
        let text = """
            * thread #1, stop reason = breakpoint 1.1
              * frame #0: 0x0000555555555392 cellar`wait at Cellar.cpp:9:3
                frame #1: 0x00005555555554c7 cellar`main at Cellar.cpp:12:3
              thread #10, stop reason = EXC_BAD_ACCESS (code=1, address=0x0)
                frame #0: 0x0000555555555401 cellar`pour at Cellar.cpp:15:3
                frame #1: 0x0000555555555501 cellar`serve at Cellar.cpp:18:3
            """
        let diagnostic = try diagnostic(text)
        #expect(diagnostic.tree.stacks.map(\.isAttributed) == [false, true])
        #expect(diagnostic.details.exceptionType == MachException(name: "EXC_BAD_ACCESS")?.rawValue)
        let signal = text.replacing("EXC_BAD_ACCESS (code=1, address=0x0)", with: "signal SIGBUS")
        #expect(
            try self.diagnostic(signal).details.signal == DarwinSignal(name: "SIGBUS")?.rawValue)
        let gdb = """
            Program received signal SIGSEGV, Segmentation fault.
            #0  0x0000555555555301 in ?? ()
            Thread 2 (Thread 0x7ffff6dff640 (LWP 4712)):
            #0  0x0000555555555234 in ?? ()
            #1  0x0000555555555244 in ?? ()
            Thread 1 (Thread 0x7ffff7d8a740 (LWP 4711)):
            #0  0x0000555555555301 in ?? ()
            #1  0x0000555555555344 in ?? ()
            """
        #expect(
            try self.diagnostic(gdb).tree.stacks.map(\.isAttributed) == [false, false, true])
    }

    @Test("LLVM prints return addresses, and Chromium frames without modules")
    func stackDumps() throws {
        let dump = """
             #0 0x00007f8d7ab0d3c1 llvm::sys::PrintStackTrace(int) (/usr/lib/libLLVM-14.so.1+0xea53c1)
             #1 0x00007f8d7ab0d8f6 (/usr/lib/libLLVM-14.so.1+0xea58f6)

            """
        #expect(
            try diagnostic(dump).tree.frames.map(\.site) == [
                .returnAddress(ImageOffset(0xea53c1)), .returnAddress(ImageOffset(0xea58f6)),
            ])
        let chromium = """
            #0 0x55c4b6f0d6a9 base::debug::CollectStackTrace()
            #1 0x7f3a1c0bd420 (/usr/lib/libpthread-2.31.so+0x1441f)
            #2 0x55c4b8d3a5a0 content::RenderFrameImpl::DidCommit()
            [end of stack trace]
            """
        let tree = try diagnostic(chromium).tree
        #expect(tree.frames.count == 3)
        #expect(tree.reportedFunctions[2]?.first?.name == "content::RenderFrameImpl::DidCommit()")
    }

    @Test("the crashed thread of gdb's output is found, and wrapped lines are joined")
    func debugger() throws {
        let text = """
            Core was generated by `bin/cellar'.
            Program terminated with signal 11, Segmentation fault.
            [Current thread is 1 (Thread 0x7ffff7d8a740 (LWP 4711))]

            Thread 2 (Thread 0x7ffff6dff640 (LWP 4712) "worker"):
            #0  __pthread_kill_internal (signo=6, threadid=1407) at ./nptl/pthread_kill.c:78
            #1  0x0000555555555234 in pour (cask=0x7ffe,
                litres=3) at cellar.cpp:9
            #2  0x00007ffff7c86de4 in ?? () from /lib/libstdc++.so.6

            Thread 1 (Thread 0x7ffff7d8a740 (LWP 4711) "cellar"):
            #0  0x0000555555555301 in main (argc=1) at cellar.cpp:12
            """
        let diagnostic = try diagnostic(text)
        #expect(diagnostic.tree.stacks.map(\.frames.count) == [3, 1])
        #expect(diagnostic.tree.stacks.map(\.isAttributed) == [false, true])
        #expect(diagnostic.tree.reportedFunctions[1]?.map(\.line) == [9])
        #expect(diagnostic.details.processName == "cellar")
        #expect(diagnostic.details.signal == DarwinSignal(name: "SIGSEGV")?.rawValue)
        // Arguments are only in gdb's own frames.
        let written = try written(text)
        #expect(written.contains("pour (cask=0x7ffe,\n    litres=3) at cellar.cpp:9"))
        #expect(written.contains("#2  0x00007ffff7c86de4 in f ()"))
    }

    @Test(
        "the place where gdb's program stopped is not the name of its thread",
        arguments: [
            "0x0000555555555392 in ?? ()", "cellar::burst (litres=2) at cellar.cpp:12",
            "main () at cellar.cpp:12\n12\t    return 0; // (a) at b.c:3",
        ])
    func stopLocation(lines: String) throws {
        let diagnostic = try diagnostic(
            """
            Program received signal SIGSEGV, Segmentation fault.
            \(lines)
            #0  0x0000555555555392 in ?? ()
            #1  0x00005555555554c7 in ?? ()
            """)
        #expect(diagnostic.tree.stacks.map(\.name) == [nil])
        #expect(diagnostic.tree.frames.count == 2)
    }

    @Test("the stack of a stop is attributed, and not the frame that a debugger printed before it")
    func stopped() throws {
        let text = """
            * thread #1, stop reason = signal SIGSEGV
                frame #0: 0x0000555555555392 cellar`pour at Cellar.cpp:9:3 [opt]
            * thread #1, stop reason = signal SIGSEGV
              * frame #0: 0x0000555555555392 cellar`pour at Cellar.cpp:9:3 [opt]
                frame #1: 0x00005555555554c7 cellar`main(count=2) at Cellar.cpp:114:5 [opt]
            """
        let tree = try diagnostic(text).tree
        #expect(tree.stacks.map(\.isAttributed) == [false, true])
        #expect(tree.reportedFunctions[2]?.map(\.name) == ["main"])
        #expect(try written(text) == text)
    }

    @Test("a frame of lldb without a function keeps its image")
    func imageOnly() throws {
        let text = """
            * thread #1, stop reason = signal SIGSEGV
              * frame #0: 0x0000555555555392 cellar`pour at Cellar.cpp:9:3
                frame #1: 0x00005555555554c7 cellar
            """
        let frames = try diagnostic(text).tree.frames
        #expect(frames.map(\.imageName) == ["cellar", "cellar"])
        #expect(try written(text).contains("frame #1: 0x00005555555554c7 cellar`f"))
    }

    @Test("core dumps name modules with or without offsets, folders and build ids")
    func coreDump() throws {
        let text = """
                       PID: 4711 (cellar)
                    Signal: 11 (SEGV)
                 Timestamp: Sat 2026-02-17 21:53:16 CET (2min 21s ago)
                Executable: /usr/bin/cellar
                   Message: Process 4711 (cellar) of user 1000 dumped core.

                            Module libpour.so with build-id f2fcb06511256a7438b9143075a998217df45b5f
                            Module cellar from rpm cellar-1.0
                            Stack trace of thread 4711:
                            #0  0x000055f41410c38a n/a (cellar + 0x138a)
                            #1  0x00007f0b3fe45249 pour (libpour.so)
                            #2  0x00007f0b3fe00000 n/a (n/a + 0x0)

            """
        let diagnostic = try diagnostic(text)
        try #require(diagnostic.tree.frames.map(\.imageName) == ["cellar", "libpour.so", nil])
        #expect(diagnostic.images.first?.path == "/usr/bin/cellar")
        #expect(
            diagnostic.tree.frames[1].image?.hex == "f2fcb06511256a7438b9143075a998217df45b5f")
        #expect(diagnostic.details.signal == DarwinSignal(name: "SIGSEGV")?.rawValue)
        #expect(diagnostic.details.timestamp == "Sat 2026-02-17 21:53:16 CET")
    }

    @Test("code without a symbol is in the stack of backtrace_symbols")
    func namelessCode() throws {
        let text = """
            /lib/libc.so.6(+0x7eb96)[0x7fbcba91ab96]
            ./cellar[0x4c42e3]
            ./cellar(pour+0x1d)[0x45841d]
            """
        let tree = try diagnostic(text).tree
        #expect(tree.stacks.map(\.frames.count) == [3])
        try #require(tree.frames.count > 1)
        #expect(tree.frames[1].imageName == "cellar")
        let once = try written(text)
        #expect(once.contains("./cellar[0x4c42e3] f + 1 ("))
        #expect(try written(once) == once)
    }

    @Test("a log that begins with the time since the start is not a list")
    func kernelTime() throws {
        let text = "[  123.456789] #0  0x0000555555555392 in ?? ()\n"
        let file = CrashFileReader().read(Array(text.utf8))
        #expect(file.reports.map(\.format) == [.gdb])
        let other = CrashFileReader().read(Array("[  123.456789] ready\n".utf8))
        #expect(other.unread.allSatisfy { $0.remark != .jsonInvalid })
    }
}
