import CallStacks
import FlameGraphs
import TestSupport
import Testing

@testable import StackRendering

@Suite("Text output")
struct StackTextTests {
    @Test("a crash has the form of an Apple crash report")
    func crash() throws {
        try expectGolden(StackText().report(of: Example.crash), "crash.txt")
    }

    @Test("a hang is a tree, heaviest branch first")
    func hang() throws {
        try expectGolden(StackText().report(of: Example.hang), "hang.txt")
    }

    /// A function that is called at two lines, and whose callee has the same samples in both.
    private var calledTwice: SymbolicatedDiagnostic {
        var rows = [
            Example.row("Shop", 40, "main", "main.swift", 3, 1),
            Example.row("Shop", 100, "total()", "Cart.swift", 7, 10),
            Example.row("UIKitCore", 5000),
            Example.row("Shop", 200, "total()", "Cart.swift", 9, 10),
            Example.row("UIKitCore", 5000), Example.row("UIKitCore", 6000),
        ]
        let samples: [UInt64] = [20, 9, 9, 11, 8, 3]
        for (row, parent) in [nil, 0, 1, 0, 3, 3].enumerated() {
            rows[row].samples = samples[row]
            rows[row].parent = parent
            rows[row].functionDistance = rows[row].function == nil ? nil : UInt64(row)
        }
        var hang = Example.hang
        hang.frames = rows
        hang.stacks[0].frames = 0..<rows.count
        return hang
    }

    private func tree(by grouping: FlameGraphBuilder.Grouping) -> [String] {
        StackText(grouping: grouping).stacks(of: calledTwice).split(separator: "\n").dropFirst()
            .map(String.init)
    }

    @Test("calls of a function by the same caller are one line, with what they have in common")
    func byFunction() {
        #expect(
            tree(by: .function) == [
                "20  main + 0 (main.swift:3:1)  (in Shop)",
                "└╴20  total() (Cart.swift)  (in Shop)",
                "  ├╴17  0x1a2b00000 + 5000  (in UIKitCore)",
                "  └╴3  0x1a2b00000 + 6000  (in UIKitCore)",
            ])
    }

    @Test("calls at two lines, or at two addresses, are two lines on request")
    func byLine() {
        let lines = tree(by: .line)
        #expect(lines.count == 6)
        #expect(lines.dropFirst().first == "├╴11  total() + 3 (Cart.swift:9:10)  (in Shop)")
        #expect(tree(by: .address) == lines)
    }

    @Test("a terminal gets the same text with ANSI sequences")
    func terminal() throws {
        let painted = StackText(style: .terminal).report(of: Example.crash)
        try expectGolden(painted.replacing("\u{1b}", with: "^"), "crash-terminal.txt")
        var plain = painted
        for code in ["1", "2", "36", "33", "0"] { plain.replace("\u{1b}[\(code)m", with: "") }
        #expect(plain == StackText().report(of: Example.crash))
    }

    @Test("raw frames have a reason, whatever else is known about them")
    func raw() throws {
        var rows = FrameStatus.allCases.map { status in
            var row = Example.row("Shop", 4096)
            row.status = status
            return row
        }
        rows.append(Example.row("Shop", nil))
        rows.append(Example.row("Shop", 1 << 40))
        rows[rows.count - 1].status = .notFound
        rows[rows.count - 1].remarks = [.offsetOutsideText]
        rows.append(Example.row("Shop", 4096))
        rows[rows.count - 1].loadAddress = nil
        for index in rows.indices.dropFirst() { rows[index].parent = index - 1 }
        let diagnostic = Example.diagnostic(.crash, rows, stacks: [("main", rows.indices)])
        try expectGolden(StackText().stacks(of: diagnostic), "raw-frames.txt")
    }

    @Test("an inlined call without a name has its line and a reason")
    func namelessInlinedCall() {
        var row = Example.row("Shop", 4096, nil, "Cart.swift", 7, 3, inlined: true)
        row.status = .notFound
        let diagnostic = Example.diagnostic(.crash, [row], stacks: [("main", 0..<1)])
        #expect(
            StackText().stacks(of: diagnostic)
                .contains(
                    "[inlined] ?? (Cart.swift:7:3)  [name not known, perhaps in a dwz file]\n"))
    }

    @Test("a name that is probably another function's is marked")
    func suspect() {
        var row = Example.row("Shop", 4096)
        row.function = "checkout"
        row.functionDistance = 0
        row.remarks = [.nameGiven, .nameSuspect]
        let diagnostic = Example.diagnostic(.crash, [row], stacks: [("main", 0..<1)])
        #expect(
            StackText().stacks(of: diagnostic)
                .contains("checkout + 0  [may be the preceding function]\n"))
    }

    @Test("without addresses the column has offsets")
    func noAddresses() throws {
        var flat = Example.crash
        for index in flat.frames.indices {
            flat.frames[index].address = nil
            flat.frames[index].loadAddress = nil
        }
        try expectGolden(StackText(usesFullPaths: true).stacks(of: flat), "no-addresses.txt")
    }

    @Test("the lines of the contract are written exactly")
    func contract() {
        var rows = [
            Example.row(
                "Shop", 20796, "closure #1 in Cart.total(for:)", "Pricing.swift", 21, 9,
                inlined: true),
            Example.row("Shop", 20796, "Cart.total(for:)", "Pricing.swift", 18, 24),
            Example.row("UIKitCore", 1_266_292),
        ]
        for (index, address) in [0x1_04a3_1f3c, 0x1_04a3_1f3c, 0x1_a2c3_d4e8].enumerated() {
            rows[index].address = RuntimeAddress(UInt64(address))
            rows[index].parent = index == 0 ? nil : index - 1
        }
        rows[1].functionDistance = 84
        let diagnostic = Example.diagnostic(.crash, rows, stacks: [("main", 0..<3)])
        let lines = StackText().stacks(of: diagnostic).split(separator: "\n").dropFirst()
        #expect(
            lines.joined(separator: "\n") == """
                Thread 0 Crashed:
                0   Shop          0x0000000104a31f3c  [inlined] closure #1 in Cart.total(for:) (Pricing.swift:21:9)
                1   Shop          0x0000000104a31f3c  Cart.total(for:) + 84 (Pricing.swift:18:24)
                2   UIKitCore     0x00000001a2c3d4e8  0x1a2b00000 + 1266292
                """)
    }

    @Test("names cannot break out of their line")
    func hostileNames() {
        var rows = [
            Example.row("Sh\nop", 1, "f\u{1b}[31m\u{202e}\r\n9   Fake", "a\u{85}b.swift", 1)
        ]
        rows[0].function? += String(repeating: "x", count: 5000)
        let diagnostic = Example.diagnostic(.crash, rows, stacks: [("ma\nin", 0..<1)])
        let text = StackText().stacks(of: diagnostic)
        #expect(text.split(separator: "\n").count == 3)
        #expect(!text.contains("\u{1b}"))
        #expect(!text.unicodeScalars.contains("\u{202e}"))
        #expect(text.contains("…"))
        #expect(text.count < 1400)
    }

    @Test(
        "a title has the event and its function",
        arguments: [
            ("Index out of range", "EXC_BREAKPOINT", "Index out of range"),
            ("Trace, breakpoint, etc.", "EXC_BREAKPOINT", "EXC_BREAKPOINT (SIGTRAP)"),
            (nil, "SIGTRAP", "SIGTRAP"), (nil, nil, "SIGTRAP"),
        ] as [(String?, String?, String)])
    func title(message: String?, exception: String?, cause: String) {
        var crash = Example.crash
        crash.exceptionMessage = message
        crash.exceptionName = exception
        #expect(crash.title == "\(cause) — Cart.total(for:) (Pricing.swift:18)")
        crash.culpritIndex = nil
        #expect(crash.title == cause)
    }

    @Test("a title has the meaning of the codes of an exception without a name")
    func numericException() {
        var crash = Example.crash
        crash.exceptionMessage = nil
        crash.details = DiagnosticDetails()
        crash.details.exceptionName = "00000020"
        crash.exceptionName = "00000020"
        crash.details.exceptionCode = 0x8bad_f00d
        #expect(crash.title.hasPrefix("00000020: the watchdog ended it: it took too long"))
        #expect(StackText().report(of: crash).contains("Codes:        0x000000008badf00d\n"))
        crash.details.fields[.exceptionCodes] = "0xbad22222, 0x1"
        #expect(crash.title.hasPrefix("00000020: a VoIP app was resumed too often — "))
        #expect(StackText().report(of: crash).contains("Codes:        0xbad22222, 0x1\n"))
    }

    @Test("a title of samples without a reason has the process")
    func sample() {
        var hang = Example.hang
        hang.kind = .unknown
        hang.details = DiagnosticDetails()
        hang.culpritIndex = nil
        #expect(hang.title == "Sample")
        hang.details.processName = "Orchard"
        #expect(hang.title == "Sample of Orchard")
        hang.form = .threads
        #expect(hang.title == "Diagnostic")
    }

    @Test("a title without a message has the exception's subtype")
    func subtype() {
        var crash = Example.crash
        crash.exceptionMessage = nil
        crash.details.exceptionSubtype = "KERN_INVALID_ADDRESS at 0x8"
        #expect(
            crash.title == "EXC_BREAKPOINT (SIGTRAP): KERN_INVALID_ADDRESS at 0x8 — "
                + "Cart.total(for:) (Pricing.swift:18)")
        #expect(!StackText().report(of: crash).contains("Subtype:"))
        crash.exceptionName = nil
        crash.details.signal = nil
        #expect(crash.title.hasPrefix("KERN_INVALID_ADDRESS at 0x8 — "))
        crash.exceptionMessage = "Index out of range"
        #expect(
            StackText().report(of: crash).contains("Subtype:      KERN_INVALID_ADDRESS at 0x8\n"))
    }

    @Test("the header has the process, and every message once and on one line")
    func header() {
        var crash = Example.crash
        crash.details.processName = "Shop Helper"
        crash.details.runtimeMessage = "Fatal error: none left"
        crash.details.applicationMessages =
            ["Fatal error: none left", "two\nlines", "Index out of range"]
            + (0..<20).map { "message \($0)" }
        let lines = StackText().report(of: crash).split(separator: "\n")
        #expect(lines.contains("Process:      Shop Helper"))
        let messages = lines.filter { $0.hasPrefix("Message:") }.map { $0.dropFirst(14) }
        #expect(messages.count == ReportHeader.messageLimit)
        #expect(messages.prefix(3) == ["Fatal error: none left", "two lines", "message 0"])
    }

    @Test("a name from the report is plain, and one from symbols is bold")
    func givenName() {
        var crash = Example.crash
        let bold = "\u{1b}[1mCart.total(for:)\u{1b}[0m"
        #expect(StackText(style: .terminal).stacks(of: crash).contains(bold))
        crash.frames[2].remarks = [.nameGiven]
        let text = StackText(style: .terminal).stacks(of: crash)
        #expect(!text.contains(bold))
        #expect(text.contains("  Cart.total(for:) + 84"))
    }

    @Test("the throwing and crashed stacks come before other threads, whatever their order")
    func order() {
        var crash = Example.crash
        let rows = crash.stacks[1].frames
        crash.stacks[1].role = .applicationBacktrace
        for (index, role) in [(2, StackRole.thread), (3, .lastException)] {
            crash.stacks.append(
                CallStack(
                    index: index, name: nil, isAttributed: role == .thread, frames: rows, role: role
                ))
        }
        let headings = StackText().stacks(of: crash).split(separator: "\n").filter {
            $0.hasSuffix(":") && !$0.contains(" name:")
        }
        #expect(
            headings == [
                "Last Exception Backtrace:", "Thread 2 Crashed:", "Application Specific Backtrace:",
                "Thread 0:",
            ])
    }

    @Test("every remark and status has its own description")
    func words() {
        var crash = Example.crash
        crash.remarks = Remark.allCases
        let lines = StackText().report(of: crash).split(separator: "\n")
            .drop { $0 != "Remarks:" }.dropFirst()
        #expect(lines.count == Remark.allCases.count)
        #expect(Set(lines.map { $0.dropFirst(29) }).count == Remark.allCases.count)
    }
}
