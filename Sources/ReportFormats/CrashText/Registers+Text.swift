import CallStacks

extension Registers {
    /// The maximum number of registers of a thread.
    static let countLimit = 128

    /// Reads the heading `Thread 2 crashed with ARM Thread State (64-bit):`.
    init?(textHeading line: String) {
        let mark = " crashed with "
        guard line.hasPrefix("Thread "), line.trimmed.hasSuffix(":"),
            let start = line.firstRange(of: mark)
        else { return nil }
        self.init(kind: String(line[start.upperBound...].trimmed.dropLast()), values: [])
    }

    /// Adds `x0: 0x000000000000002a   x1: 0x0000600001d291b0`, and text after the last register.
    ///
    /// - Returns: Whether the line has registers.
    mutating func add(textLine line: String) -> Bool {
        let count = values.count
        var words = line.split(separator: " ")[...]
        while values.count < Self.countLimit, let name = words.first, name.last == ":",
            let text = words.dropFirst().first,
            let value = UInt64(address: Array(text.utf8)[...])
        {
            values.append(Register(String(name.dropLast()), value))
            words = words.dropFirst(2)
        }
        guard values.count > count else { return false }
        if !words.isEmpty { meaning = words.joined(separator: " ") }
        return true
    }
}
