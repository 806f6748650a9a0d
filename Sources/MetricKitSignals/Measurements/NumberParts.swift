/// Groups of digits and the separators between them, before it is known which one starts the
/// fraction.
struct NumberParts {
    /// The groups in ASCII, one more than there are separators.
    let groups: [[UInt8]]
    let separators: [Separator]

    /// The value, or `nil` if no locale writes such separators.
    var value: (value: Double, isAmbiguous: Bool)? {
        guard let fraction = fractionIndex else {
            guard isGrouped(separators[...], groups: groups[...]) else { return nil }
            return number(groups.joined(), fraction: [])
                .map { ($0, separators == [.fullStop]) }
        }
        // Only the last separator can start the fraction.
        guard fraction == separators.count - 1,
            isGrouped(separators[..<fraction], groups: groups[...fraction])
        else { return nil }
        return number(groups[...fraction].joined(), fraction: groups[fraction + 1]).map {
            ($0, false)
        }
    }

    /// The separator that starts the fraction, or `nil` if all of them group digits.
    private var fractionIndex: Int? {
        if let index = separators.firstIndex(of: .fraction) { return index }
        let marks = separators.indices.filter { [.comma, .fullStop].contains(separators[$0]) }
        guard let last = marks.last else { return nil }
        let kinds = Set(marks.map { separators[$0] })
        // The last separator starts the fraction if another kind precedes it. A repeated kind
        // groups digits.
        if kinds.count == 2 || separators.count > marks.count { return last }
        if marks.count > 1 { return nil }
        return looksLikeThousands ? nil : last
    }

    /// Whether a single comma or full stop looks like a thousands separator: it follows one to
    /// three digits and precedes three.
    private var looksLikeThousands: Bool {
        groups[0].count <= 3 && groups[0] != [UInt8(ascii: "0")] && groups[1].count == 3
    }

    /// Whether the separators are of one kind and the groups have sizes that locales use: three
    /// digits in the last group, and three or (in India) two in the others.
    private func isGrouped(
        _ separators: ArraySlice<Separator>, groups: ArraySlice<[UInt8]>
    ) -> Bool {
        guard let first = separators.first else { return true }
        return separators.allSatisfy { $0 == first } && groups.last?.count == 3
            && (1...3).contains(groups.first?.count ?? 0)
            && groups.dropFirst().dropLast().allSatisfy { (2...3).contains($0.count) }
    }

    private func number(
        _ whole: some Sequence<UInt8>, fraction: some Sequence<UInt8>
    ) -> Double? {
        let digits = Array(whole) + [UInt8(ascii: ".")] + Array(fraction) + [UInt8(ascii: "0")]
        return Double(String(decoding: digits, as: UTF8.self))
    }
}
