package import CallStacks

/// The registers of the thread that the report is about, four to a row. The heading is the same if
/// that thread did not crash, as in Apple's reports:
///
///     Thread 2 crashed with ARM Thread State (64-bit):
///         x0: 0x000000000000002a   x1: 0x0000600001d291b0   x2: 0x000000019cbbf000   x3: …
package struct AppleCrashRegisters {
    package let text: String

    package init?(of diagnostic: SymbolicatedDiagnostic) {
        guard let registers = diagnostic.details.registers,
            let thread = diagnostic.crashedThread
        else { return nil }
        var text = TextBuilder()
        text.add("Thread \(thread.index) crashed with \(shown(registers.kind)):\n")
        var column = 0
        for register in registers.values {
            if column == 4 || (column > 0 && Self.rowStarts.contains(register.name)) {
                text.add("\n")
                column = 0
            }
            if column == 0 { text.add(" ") }
            text.addBlanks(5 - register.name.utf8.count)
            text.add("\(register.name): ")
            text.add(hex: register.value, width: Self.short.contains(register.name) ? 8 : 16)
            column += 1
        }
        if let meaning = registers.meaning { text.add(" " + shown(meaning)) }
        text.add("\n")
        self.text = text.text
    }

    private static let rowStarts: Set = ["sp", "far", "rip"]
    private static let short: Set = ["cpsr", "esr"]
}
