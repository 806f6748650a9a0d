/// The words of standard input, separated by white space.
struct InputWords {
    /// The maximum length of a word, in bytes. Longer words are truncated and end in `…`, so that a
    /// part of a number is not mistaken for a number.
    static let lengthLimit = 4_096

    /// The start of a word whose end has not arrived.
    private var unfinished: ArraySlice<UInt8> = []
    private var isOver = false

    /// Returns the words that have arrived completely, or `nil` at the end of input.
    ///
    /// - Parameter beforeWaiting: Called before the process waits for input, so that the results
    ///   for all previous words can be written first.
    mutating func arrived(beforeWaiting: () -> Void) -> [ArraySlice<UInt8>]? {
        if isOver { return nil }
        beforeWaiting()
        let chunk = InputBytes.available()
        isOver = chunk.isEmpty
        return words(in: chunk, isLast: isOver)
    }

    /// Splits the next bytes of the input.
    ///
    /// - Parameter isLast: Whether no bytes follow, so that the last word is complete.
    mutating func words(in bytes: [UInt8], isLast: Bool) -> [ArraySlice<UInt8>] {
        var words = bytes.split(omittingEmptySubsequences: false, whereSeparator: \.isWhiteSpace)
        words[0] = unfinished + words[0]
        unfinished = isLast ? [] : words.removeLast().prefix(Self.lengthLimit + 1)
        return words.filter { !$0.isEmpty }.map(Self.limited)
    }

    private static func limited(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        word.count <= lengthLimit ? word : word.prefix(lengthLimit) + Array("…".utf8)
    }
}
