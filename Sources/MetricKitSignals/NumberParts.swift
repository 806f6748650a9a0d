/// Groups of digits and what stands between them, before it is known which separator begins the
/// fraction.
struct NumberParts {
    /// In ASCII; one more than there are separators.
    let groups: [[UInt8]]
    let separators: [Separator]

    /// `nil` where the separators are none that a locale writes.
    var value: (value: Double, isAmbiguous: Bool)? {
        guard let fraction = fractionIndex else {
            guard isGrouped(separators[...], groups[...]) else { return nil }
            return number(groups.joined(), [])
                .map { ($0, separators == [.fullStop]) }
        }
        // Only the last one can begin the fraction.
        guard fraction == separators.count - 1,
            isGrouped(separators[..<fraction], groups[...fraction])
        else { return nil }
        return number(groups[...fraction].joined(), groups[fraction + 1]).map { ($0, false) }
    }

    /// The separator that begins the fraction, or `nil` where all of them group.
    private var fractionIndex: Int? {
        if let index = separators.firstIndex(of: .fraction) { return index }
        let marks = separators.indices.filter { [.comma, .fullStop].contains(separators[$0]) }
        guard let last = marks.last else { return nil }
        let kinds = Set(marks.map { separators[$0] })
        // With another kind before it the last one begins the fraction; a kind that is there more
        // than once groups.
        if kinds.count == 2 || separators.count > marks.count { return last }
        if marks.count > 1 { return nil }
        return looksLikeThousands ? nil : last
    }

    /// Of one comma or full stop: one to three digits, not a lone zero, and exactly three behind it.
    private var looksLikeThousands: Bool {
        groups[0].count <= 3 && groups[0] != [UInt8(ascii: "0")] && groups[1].count == 3
    }

    /// Whether the separators are of one kind and the groups have a size that locales use: three
    /// digits at the end, three or, in India, two before them.
    private func isGrouped(
        _ separators: ArraySlice<Separator>, _ groups: ArraySlice<[UInt8]>
    ) -> Bool {
        guard let first = separators.first else { return true }
        return separators.allSatisfy { $0 == first } && groups.last?.count == 3
            && (1...3).contains(groups.first?.count ?? 0)
            && groups.dropFirst().dropLast().allSatisfy { (2...3).contains($0.count) }
    }

    private func number(
        _ whole: some Sequence<UInt8>, _ fraction: some Sequence<UInt8>
    ) -> Double? {
        let digits = Array(whole) + [UInt8(ascii: ".")] + Array(fraction) + [UInt8(ascii: "0")]
        return Double(String(decoding: digits, as: UTF8.self))
    }
}
