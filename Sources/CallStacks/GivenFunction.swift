/// A function that a report itself names at a frame, as the device or another tool found it.
///
/// Names from a device are often of the nearest symbol and not of the function, so they stand only
/// where no better answer is found.
public struct GivenFunction: Hashable, Sendable {
    /// The name as the report has it.
    public var name: String
    /// What the report says stands between the start of the function and the frame, in bytes.
    public var distance: UInt64?
    /// `nil` where the report names no file.
    public var file: SourceFile?
    /// 0 where no line is known.
    public var line: UInt32
    /// 0 where no column is known.
    public var column: UInt32
    /// Whether this is a call that was inlined into the next one.
    public var isInlined: Bool

    public init(
        name: String, distance: UInt64? = nil, file: SourceFile? = nil, line: UInt32 = 0,
        column: UInt32 = 0, isInlined: Bool = false
    ) {
        self.name = name
        self.distance = distance
        self.file = file
        self.line = line
        self.column = column
        self.isInlined = isInlined
    }
}
