public import CallStacks

/// The answer to an offset with its texts, in storage that the next answer uses again.
///
/// Meant for many lookups one after another: once the storage is large enough, a lookup allocates
/// nothing.
///
///     var answer = CopiedAnswer()
///     for offset in offsets where try index.copyFrames(at: offset, into: &answer) {
///         for frame in answer.frames { print(answer.bytes[frame.name], answer.bytes[frame.path]) }
///     }
public struct CopiedAnswer: Sendable {
    public struct Frame: Hashable, Sendable {
        /// The linkage name, in ``CopiedAnswer/bytes``; empty for a function without one.
        public var name: Range<Int>
        /// Folder and file name, as in ``CallStacks/SourceFile/path``; empty where there is no file.
        public var path: Range<Int>
        public var line: UInt32
        public var column: UInt32
        public var isInlined: Bool
    }

    /// As in ``IndexAnswer/frames``.
    public private(set) var frames: [Frame] = []
    /// The texts that the frames point at, as they are in the debug file; what is not in a frame's
    /// range means nothing.
    public private(set) var bytes: [UInt8]
    public private(set) var functionStart = ImageOffset(0)
    private var staged: [StagedFrame] = []

    /// A frame with what is known of the place of its name.
    fileprivate struct StagedFrame {
        var frame: NumberedFrame
        var group: Int
        var first = NameChange(shared: 0, added: 0, start: 0)
    }

    /// What a frame may need: a name, a folder, a separator, a file's name.
    private static let roomPerFrame = TextRoom.name + TextRoom.path

    public init() {
        bytes = Array(repeating: 0, count: 2 * Self.roomPerFrame)
    }

    /// - Returns: Whether there is a function at `offset`.
    mutating func take(
        _ sections: IndexSections, at offset: UInt64
    ) throws(SymbolIndexError) -> Bool {
        frames.removeAll(keepingCapacity: true)
        staged.removeAll(keepingCapacity: true)
        let start = try sections.walk(at: offset) { (frame) throws(SymbolIndexError) in
            staged.append(StagedFrame(frame: frame, group: try sections.group(of: frame.name)))
        }
        guard let start else { return false }
        functionStart = ImageOffset(start)
        // Names lie anywhere in the index, and most of the time passes waiting for memory. Asked for
        // together they come together.
        for depth in staged.indices {
            staged[depth].first = try sections.nameChange(at: staged[depth].group, isFirst: true)
        }
        try copyTexts(sections)
        return true
    }

    private mutating func copyTexts(_ sections: IndexSections) throws(SymbolIndexError) {
        var end = 0
        var last: (file: IndexedFile?, path: Range<Int>) = (nil, 0..<0)
        for staged in staged {
            let frame = staged.frame
            if bytes.count - end < Self.roomPerFrame {
                bytes.append(contentsOf: repeatElement(0, count: bytes.count))
            }
            let name = end..<end + (try sections.copy(staged, into: &bytes, at: end))
            end = name.upperBound
            // Calls are often inlined into others of the same file.
            if frame.file != last.file {
                let count = try frame.file.map { (file) throws(SymbolIndexError) in
                    try sections.copyPath(of: file, into: &bytes, at: end)
                }
                last = (frame.file, end..<end + (count ?? 0))
                end = last.path.upperBound
            }
            frames.append(
                Frame(
                    name: name, path: last.path, line: frame.line, column: frame.column,
                    isInlined: frame.isInlined))
        }
    }
}

extension SymbolIndex {
    /// The frames at `offset`, as ``frames(at:)`` finds them, without a string for each text.
    ///
    /// - Returns: Whether the image holds a function there.
    /// - Throws: If the index is damaged.
    public func copyFrames(
        at offset: ImageOffset, into answer: inout CopiedAnswer
    ) throws(SymbolIndexError) -> Bool {
        defer { withExtendedLifetime(sections) {} }
        return try answer.take(sections, at: offset.rawValue)
    }
}

extension IndexSections {
    /// - Returns: How many bytes the name has.
    @inline(__always)
    fileprivate func copy(
        _ staged: CopiedAnswer.StagedFrame, into bytes: inout [UInt8], at place: Int
    ) throws(SymbolIndexError) -> Int {
        try unsafe bytes.withUnsafeMutableBufferPointer { (bytes) throws(SymbolIndexError) in
            try unsafe copy(staged.frame.name, from: staged.first, to: TextRoom(bytes, from: place))
        }
    }

    @inline(__always)
    fileprivate func copyPath(
        of file: IndexedFile, into bytes: inout [UInt8], at place: Int
    ) throws(SymbolIndexError) -> Int {
        try unsafe bytes.withUnsafeMutableBufferPointer { (bytes) throws(SymbolIndexError) in
            try unsafe copyPath(of: file, to: TextRoom(bytes, from: place))
        }
    }
}
