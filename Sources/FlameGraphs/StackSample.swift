/// A stack as one line or one row of a profile.
enum StackSample {
    /// The frame limit. Every prefix of a deep recursion may be a stack of its own, and a profile of
    /// whole stacks would grow with the square of its depth.
    static let frameLimit = 2_000

    /// A stack, outermost first, without the frames in the middle if it is deeper than
    /// ``frameLimit``.
    static func shortened<Element>(_ stack: [Element], omission: Element) -> [Element] {
        guard stack.count > frameLimit else { return stack }
        let kept = frameLimit / 2
        return stack.prefix(kept) + [omission] + stack.suffix(kept)
    }
}
