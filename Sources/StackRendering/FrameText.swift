import CallStacks

/// What one row says, without number, image and address.
struct FrameText {
    let style: StackStyle
    let usesFullPaths: Bool
    var showsLineZero = false

    /// `[inlined] closure #1 in Cart.total(for:) (Pricing.swift:21:9)`, `Cart.total(for:) + 84`, or
    /// `0x1a2b00000 + 1266292` for a frame that stayed raw.
    func text(of row: SymbolicatedFrame) -> String {
        guard let function = row.function ?? row.mangled else { return rawText(of: row) }
        var text = row.isInlined ? style.paint("[inlined]", as: .inlined) + " " : ""
        text += style.paint(shown(function), as: role(of: row))
        if let distance = row.functionDistance { text += " + \(distance)" }
        if let place = place(of: row) { text += " (\(place))" }
        return text
    }

    /// Names that only the report gives are not worth the weight of those that symbols confirm.
    private func role(of row: SymbolicatedFrame) -> StackStyle.Role {
        if !row.isInApp { return .system }
        return row.remarks.contains(.nameGiven) ? .given : .appFunction
    }

    /// `Pricing.swift:21:9`; a place that is only near begins with `near`.
    func place(of row: SymbolicatedFrame) -> String? {
        guard let file = row.file else { return nil }
        var text = row.isApproximate ? "near " : ""
        text += shown(usesFullPaths ? file.path : file.name)
        if row.line > 0 || showsLineZero {
            text += ":\(row.line)"
            if row.column > 0 { text += ":\(row.column)" }
        }
        return text
    }

    /// Where the frame is, and why no function stands there.
    private func rawText(of row: SymbolicatedFrame) -> String {
        var text = style.paint(rawPlace(of: row), as: row.isInApp ? .appRaw : .system)
        if let place = place(of: row) { text += " (\(place))" }
        guard let reason = reason(of: row) else { return text }
        return text + (text.isEmpty ? "" : "  ") + style.paint("[\(reason)]", as: .note)
    }

    private func rawPlace(of row: SymbolicatedFrame) -> String {
        guard let offset = row.offset else { return "" }
        let base = row.loadAddress.map { hex($0.rawValue) } ?? shown(row.imageName ?? "???")
        return "\(base) + \(offset.rawValue)"
    }

    /// `nil` for system images without symbols: that is how every report looks, and the images are
    /// listed at its end.
    private func reason(of row: SymbolicatedFrame) -> String? {
        row.status == .missingImage && !row.isInApp ? nil : row.reason
    }
}

/// As many as a number of 64 bits has digits at most.
private let zeros = "0000000000000000"

/// `0x1a2b00000`, filled with zeros to `width` digits.
func hex(_ value: UInt64, width: Int = 0) -> String {
    let digits = String(value, radix: 16)
    let missing = width - digits.utf8.count
    return missing > 0 ? "0x\(zeros.suffix(missing))\(digits)" : "0x" + digits
}
