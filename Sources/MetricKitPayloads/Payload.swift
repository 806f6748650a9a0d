public import CallStacks
public import Problems

/// The contents of one upload, in order.
public struct Payload: Sendable {
    public var elements: [PayloadElement]
    /// Remarks about the upload as a whole.
    public var remarks: [Remark]

    public init(elements: [PayloadElement] = [], remarks: [Remark] = []) {
        self.elements = elements
        self.remarks = remarks
    }

    public var diagnostics: [ReceivedDiagnostic] { elements.flatMap(\.diagnostics) }
}

/// One payload, diagnostic, tree or log record of an upload. Errors in one do not affect others.
public struct PayloadElement: Sendable {
    public var shape: PayloadShape
    /// The range of its text in the upload, in bytes. The upload itself is not retained.
    public var range: Range<Int>
    public var diagnostics: [ReceivedDiagnostic]
    /// The members of a payload other than its diagnostics, as the text of a JSON object: its
    /// period, and the metrics of a metric payload. Empty for other shapes.
    public var fields: [UInt8] = []
    /// The attribute of a log record that contained the stack.
    public var stackAttribute: String?
    /// The parts that could not be read.
    public var unread: [UnreadPart]
    public var remarks: [Remark]

    public init(
        shape: PayloadShape, range: Range<Int>, diagnostics: [ReceivedDiagnostic] = [],
        unread: [UnreadPart] = [], remarks: [Remark] = []
    ) {
        self.shape = shape
        self.range = range
        self.diagnostics = diagnostics
        self.unread = unread
        self.remarks = remarks
    }
}

/// A part of an upload that is kept as text only.
public struct UnreadPart: Hashable, Sendable {
    /// The range of its text in the upload, in bytes.
    public var range: Range<Int>
    public var remark: Remark
    /// `json+0x1a4: expected a key`. Without a subject, it concerns the whole file.
    public var problem: Problem

    public init(range: Range<Int>, remark: Remark, problem: Problem) {
        self.range = range
        self.remark = remark
        self.problem = problem
    }
}
