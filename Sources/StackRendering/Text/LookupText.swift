public import CallStacks

/// The result of looking up one offset, as text: the offset, and a line per function, innermost
/// first.
///
///     0x513c  closure #1 in Cart.total(for:) (Pricing.swift:21:9)
///             Cart.total(for:) + 84 (Pricing.swift:18:24)
///
/// Code without a line is shown with line 0, as in the debug information.
public struct LookupText: Sendable {
    private let style: StackStyle
    private let usesFullPaths: Bool

    public init(style: StackStyle, usesFullPaths: Bool = false) {
        self.style = style
        self.usesFullPaths = usesFullPaths
    }

    /// Returns the text, which ends in a line break.
    ///
    /// - Parameter frames: The functions of the result with their texts.
    public func text(of result: OffsetLookupResult, frames: [SymbolicatedFrame]) -> String {
        let offset = hex(result.offset.rawValue)
        guard !frames.isEmpty else {
            let status = result.status
            let reason =
                result.isOutsideCode ? FrameStatus.outsideCode : status.reason ?? status.rawValue
            return "\(offset)  \(style.paint("[\(reason)]", as: .note))\n"
        }
        let frameText = FrameText(
            style: style, usesFullPaths: usesFullPaths, showsLineZero: true)
        let indentation = String(repeating: " ", count: offset.utf8.count)
        return frames.enumerated().map { number, frame in
            "\(number == 0 ? offset : indentation)  \(frameText.text(of: frame))\n"
        }.joined()
    }
}
