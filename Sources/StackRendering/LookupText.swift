public import CallStacks

/// One looked-up offset for people: the offset, and a line for each function, innermost first.
///
///     0x513c  closure #1 in Cart.total(for:) (Pricing.swift:21:9)
///             Cart.total(for:) + 84 (Pricing.swift:18:24)
///
/// A line 0, code that belongs to no line, is shown as the debug information has it.
public struct LookupText: Sendable {
    private let style: StackStyle
    private let usesFullPaths: Bool

    public init(style: StackStyle = .plain, usesFullPaths: Bool = false) {
        self.style = style
        self.usesFullPaths = usesFullPaths
    }

    /// Ends in a line break.
    ///
    /// - Parameter frames: The functions of the answer with their texts.
    public func text(of answer: ExactAnswer, frames: [SymbolicatedFrame]) -> String {
        let place = hex(answer.offset.rawValue)
        guard !frames.isEmpty else {
            let status = answer.status
            let reason =
                answer.isOutsideCode ? FrameStatus.outsideCode : status.reason ?? status.rawValue
            return "\(place)  \(style.paint("[\(reason)]", as: .note))\n"
        }
        let frameText = FrameText(
            style: style, usesFullPaths: usesFullPaths, showsLineZero: true)
        let indentation = String(repeating: " ", count: place.utf8.count)
        return frames.enumerated().map { number, frame in
            "\(number == 0 ? place : indentation)  \(frameText.text(of: frame))\n"
        }.joined()
    }
}
