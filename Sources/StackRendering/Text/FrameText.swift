import CallStacks

/// The text of one frame, without number, image and address.
struct FrameText {
    let style: StackStyle
    let usesFullPaths: Bool
    var showsLineZero = false

    /// Returns `[inlined] closure #1 in Cart.total(for:) (Pricing.swift:21:9)`,
    /// `Cart.total(for:) + 84`, `[inlined] ?? (Pricing.swift:21:9)` for an inlined call without a
    /// name, or `0x1a2b00000 + 1266292` for a frame that stayed raw.
    func text(of row: SymbolicatedFrame) -> String {
        var text = TextBuilder()
        write(row, to: &text)
        return text.text
    }

    /// Appends ``text(of:)``.
    func write(_ row: SymbolicatedFrame, to text: inout TextBuilder) {
        guard let function = row.function ?? row.mangled else {
            return writeRaw(row, to: &text)
        }
        if row.isInlined { writeInlinedMark(to: &text) }
        text.add(style.paint(shown(function), as: role(of: row)))
        if let distance = row.functionDistance {
            text.add(" + ")
            text.add(distance)
        }
        writeInParentheses(locationOf: row, to: &text)
        if row.remarks.contains(.nameSuspect) {
            text.add("  ")
            text.add(style.paint("[may be the preceding function]", as: .note))
        }
    }

    private func writeInlinedMark(to text: inout TextBuilder) {
        text.add(style.paint("[inlined]", as: .inlined))
        text.add(" ")
    }

    /// Names that only the report contains are less prominent than those confirmed by symbols.
    private func role(of row: SymbolicatedFrame) -> StackStyle.Role {
        if !row.isInApp { return .system }
        return row.remarks.contains(.nameGiven) ? .given : .appFunction
    }

    /// Returns `Pricing.swift:21:9`. An approximate location starts with `near`.
    private func writeInParentheses(locationOf row: SymbolicatedFrame, to text: inout TextBuilder) {
        guard let file = row.file else { return }
        text.add(" (")
        write(file, of: row, to: &text)
        text.add(")")
    }

    private func write(_ file: SourceFile, of row: SymbolicatedFrame, to text: inout TextBuilder) {
        if row.isApproximate { text.add("near ") }
        text.add(shown(usesFullPaths ? file.path : file.name))
        guard row.line > 0 || showsLineZero else { return }
        text.add(":")
        text.add(row.line)
        guard row.column > 0 else { return }
        text.add(":")
        text.add(row.column)
    }

    /// Writes the frame's location, and why it has no function.
    private func writeRaw(_ row: SymbolicatedFrame, to text: inout TextBuilder) {
        let start = text.count
        if row.isNamelessInlinedCall { writeInlinedMark(to: &text) }
        // A closure that uses the frame itself would copy it.
        let (isNamelessCall, offset) = (row.isNamelessInlinedCall, row.offset)
        let (loadAddress, imageName) = (row.loadAddress, row.imageName)
        style.write(as: row.isInApp ? .appRaw : .system, to: &text) { text in
            if isNamelessCall { return text.add("??") }
            guard let offset else { return }
            if let loadAddress {
                text.add(hex: loadAddress.rawValue)
            } else {
                text.add(shown(imageName ?? "???"))
            }
            text.add(" + ")
            text.add(offset.rawValue)
        }
        writeInParentheses(locationOf: row, to: &text)
        guard let reason = reason(of: row) else { return }
        if text.count > start { text.add("  ") }
        text.add(style.paint("[\(reason)]", as: .note))
    }

    /// Returns the reason why a frame has no function, or `nil` for system images without symbols:
    /// every report has them, and they are listed at its end.
    private func reason(of row: SymbolicatedFrame) -> String? {
        row.status == .missingImage && !row.isInApp ? nil : row.reason
    }
}

/// Returns the number in the form `0x1a2b00000`.
package func hex(_ value: UInt64) -> String {
    var text = TextBuilder()
    text.add(hex: value)
    return text.text
}
