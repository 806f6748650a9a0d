import ReportFormats

extension BufferedFormat {
    /// The format of stacks after a line of the stream, which may be the first with the prefix of a
    /// log.
    ///
    /// - Returns: The format, and the contents of the line or `nil` if it is not in the notation.
    func parsing(_ line: ArraySlice<UInt8>) -> (format: Self, line: StackLine?) {
        guard let content = stackText(in: line) else { return (self, nil) }
        switch self {
        case .stacks(var stacks):
            let parsed = stacks.parse(content)
            return (.stacks(stacks), parsed)
        case .stackRecords(var stacks, let key):
            let parsed = stacks.parse(content)
            return (.stackRecords(stacks, key: key), parsed)
        default: return (self, nil)
        }
    }

    /// Returns the line of a stack in a line of the stream, or `nil` if the line is not a log
    /// record.
    func stackText(in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard case .stackRecords(_, let key) = self else { return line.droppingLineEnd }
        return BufferedLogRecord(line.trimmedLine, key: key)?.line
    }

    /// Returns the contents of a stack line in the stream.
    func stackLine(in line: ArraySlice<UInt8>) -> StackLine? { parsing(line).line }
}
