public import CallStacks

/// Everything that one upload holds, in its order.
public struct Payload: Sendable {
    public var elements: [PayloadElement]
    /// What was noticed about the upload as a whole.
    public var remarks: [Remark]

    public init(elements: [PayloadElement] = [], remarks: [Remark] = []) {
        self.elements = elements
        self.remarks = remarks
    }

    /// The diagnostics of all elements.
    public var diagnostics: [ReceivedDiagnostic] { elements.flatMap(\.diagnostics) }
}

/// One payload, diagnostic, tree or log record of an upload. It succeeds or fails alone.
public struct PayloadElement: Sendable {
    public var shape: PayloadShape
    /// Its text in the upload, in bytes; the text is the original and stays with its owner.
    public var range: Range<Int>
    public var diagnostics: [ReceivedDiagnostic]
    /// What a payload says besides its diagnostics, as the text of a JSON object: its period, and the
    /// metrics of a metric payload. Empty for whatever is no payload.
    public var fields: [UInt8] = []
    /// The attribute of a log record that held the stack.
    public var stackAttribute: String?
    /// Parts that nothing could be made of.
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
    /// Its text in the upload, in bytes.
    public var range: Range<Int>
    public var remark: Remark
    /// What is wrong with it: `json+0x1a4: expected a key`.
    public var explanation: String

    public init(range: Range<Int>, remark: Remark, explanation: String) {
        self.range = range
        self.remark = remark
        self.explanation = explanation
    }
}
