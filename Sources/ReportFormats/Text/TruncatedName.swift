extension String {
    /// The name without the part of a distance and of the text after it that is left at the end of
    /// a truncated line: `main +`, `main + 8` or `main + 8 (Cart.sw`.
    var withoutTruncatedDistance: String {
        if hasSuffix(" +") { return String(dropLast(2)) }
        guard let plus = range(ofLast: " + ") else { return self }
        let rest = self[plus...].dropFirst(3)
        let digits = rest.prefix(while: \.isNumber)
        let following = rest.dropFirst(digits.count).first
        let isDistance = !digits.isEmpty && (following == nil || following == " ")
        return isDistance ? String(self[..<plus]) : self
    }
}
