import CallStacks
import SymbolIndexes
import TestSupport
import Testing

@Suite struct DumpTests {
    @Test("five records written by hand, as text under version control")
    func fiveRecords() throws {
        var builder = builder()
        builder.addCheckout()
        builder.addOutlinedPart()
        builder.addAssembly()
        let notes = IndexNotes(
            producers: ["swiftc 6.3", "clang 19\nwith a line break"], dwarfVersions: [5, 4, 5],
            unitsRead: 3, unitsFailed: 1, failures: ["unit at .debug_info+0x3f0: needs 4 bytes"],
            warnings: ["split-dwarf-missing"])
        try expectGolden(try index(builder, notes: notes).dump(), "five-records.txt")
    }

    @Test("an empty index is a header")
    func empty() throws {
        let notes = IndexNotes(hasDebugInformation: false)
        try expectGolden(try index(builder(), notes: notes).dump(), "empty.txt")
    }
}

extension SymbolIndexBuilder {
    /// Adds a function with chains of inlined calls and adjacent ones, one of them without a line.
    fileprivate mutating func addCheckout() {
        var function = FunctionRecord()
        function.name = name("$s4Shop8checkoutyyF")
        function.ranges = [range(0x1000, 0x1080)]
        function.calls = [
            InlinedCall(
                name: name("$s4Shop4CartV5totalSiyF"), parent: nil,
                site: position("Shop.swift", 18, 24)),
            InlinedCall(
                name: name("$sSi1poiyS2i_SitFZ"), parent: 0, site: position("Cart.swift", 9, 300)),
            InlinedCall(name: nil, parent: nil, site: position("Shop.swift", 20, 5)),
        ]
        function.intervals = [
            InlinedInterval(range: range(0x1010, 0x1030), call: 0),
            InlinedInterval(range: range(0x1018, 0x1020), call: 1),
            InlinedInterval(range: range(0x1040, 0x1050), call: 2),
        ]
        function.rows = [
            row(0x1000, "Shop.swift", 17, 1), row(0x1010, "Cart.swift", 8, 12),
            row(0x1018, "<compiler-generated>", 0), row(0x1020, "Cart.swift", 10, 400),
            row(0x1030, "Shop.swift", 19), row(0x1040, "Shop.swift", 20, 5),
        ]
        add(function)
    }

    /// Adds a function with two ranges; the second has its own symbol.
    fileprivate mutating func addOutlinedPart() {
        var function = FunctionRecord()
        function.name = name("parse")
        function.ranges = [range(0x1100, 0x1120), range(0x2000, 0x2010)]
        function.calls = [
            InlinedCall(name: name("fail"), parent: nil, site: position("parse.c", 31, 7))
        ]
        function.intervals = [InlinedInterval(range: range(0x2004, 0x2010), call: 0)]
        function.rows = [
            row(0x1100, "parse.c", 30), row(0x2000, "parse.c", 31, 7), row(0x2004, "fail.h", 3, 1),
        ]
        add(function)
        addSymbol("parse", 0x1100, nil)
        addSymbol("parse.cold.1", 0x2000, nil, rank: .local)
    }

    /// Adds two functions that are only in the symbol table; one has rows.
    fileprivate mutating func addAssembly() {
        addSymbol("copy_bytes", 0x3000, 0x3020)
        addSymbol("copy_loop", 0x3008, nil, rank: .label)
        addSymbol("trap", 0x3020, 0x3028)
        add(rowsWithoutFunction: [
            row(0x3000, "copy.S", 12), row(0x3010, "copy.S", 14), endRow(0x3020),
        ])
    }
}
