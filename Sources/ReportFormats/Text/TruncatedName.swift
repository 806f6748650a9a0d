extension String {
    /// The name without the remains of a distance at the end of a truncated line: `main` for `main
    /// +`, `main + 8` or `main + 8 (Cart.sw`.
    ///
    /// An addition in the arguments of a template is not a distance: `chunk<(limit + 8 < 64)>`.
    var withoutTruncatedDistance: String {
        if hasSuffix(" +") { return String(dropLast(2)) }
        guard let plus = range(ofLast: " + ") else { return self }
        let rest = self[plus...].dropFirst(3)
        let following = rest.drop(while: \.isNumber)
        let isDistance = rest.startIndex < following.startIndex && following.mayFollowDistance
        return isDistance ? String(self[..<plus]) : self
    }
}

extension Substring {
    /// Whether it is empty or starts like a source location, a mark or an image, and closes no
    /// bracket that it does not open.
    fileprivate var mayFollowDistance: Bool {
        let starts = [" (", " [", " in ", "  "]
        guard isEmpty || starts.contains(where: hasPrefix) else { return false }
        var depth = 0
        for character in self {
            if "([<".contains(character) { depth += 1 }
            if ")]>".contains(character) { depth -= 1 }
            if depth < 0 { return false }
        }
        return true
    }
}
