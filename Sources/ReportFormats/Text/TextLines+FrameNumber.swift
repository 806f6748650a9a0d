extension TextLines {
    /// Returns the text that replaces a frame's number by another one, with the same alignment.
    ///
    /// - Parameter range: The range of the old number and the blanks around it, in bytes of the
    ///   file.
    func numberField(_ number: Int, over range: Range<Int>) -> [UInt8] {
        let field = bytes[range]
        let leading = field.prefix { $0.isBlank || $0 == UInt8(ascii: "\"") }
        let old = field[leading.endIndex...].prefix(while: \.isDigit)
        var blanks = Array(field[old.endIndex...])
        let digits = Array(String(number).utf8)
        for _ in 0..<max(digits.count - old.count, 0) where blanks.count > 1 { blanks.removeLast() }
        for _ in 0..<max(old.count - digits.count, 0) { blanks.append(0x20) }
        return leading + digits + blanks
    }

    /// Returns the line end of a line, or of the previous line if this one is the last and has
    /// none.
    func lineEndOrPrevious(_ line: Int) -> ArraySlice<UInt8> {
        let own = lineEnd(line)
        if !own.isEmpty { return own }
        return line > 0 ? lineEnd(line - 1) : [0x0a]
    }
}
