import ReportFormats

extension ArraySlice<UInt8> {
    /// The line without its line break.
    var droppingLineEnd: Self {
        let line = last == .newline ? dropLast() : self
        return line.last == .carriageReturn ? line.dropLast() : line
    }

    /// The line without its end, surrounding blanks, a byte-order mark and a quote prefix.
    var trimmedLine: ArraySlice<UInt8> {
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        let line = starts(with: mark) ? dropFirst(mark.count) : self
        return (line.last == .newline ? line.dropLast() : line).trimmed.drop(
            while: \.isQuotePrefix)
    }
}

extension UInt8 {
    var isLowercaseLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
    }
}
