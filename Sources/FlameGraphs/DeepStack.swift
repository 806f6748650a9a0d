/// The limit on the depth of stacks in profiles.
enum DeepStack {
    /// The maximum number of frames. Every prefix of a deep recursion may be a separate stack, so a
    /// profile with complete stacks would grow with the square of its depth.
    static let frameLimit = 2_000

    /// Returns a stack, outermost call first, without the frames in the middle if it is deeper than
    /// ``frameLimit``.
    static func shortened<Element>(_ stack: [Element], omission: Element) -> [Element] {
        guard stack.count > frameLimit else { return stack }
        let kept = frameLimit / 2
        return stack.prefix(kept) + [omission] + stack.suffix(kept)
    }
}
