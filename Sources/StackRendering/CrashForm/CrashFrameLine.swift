package import CallStacks

/// The columns of frame lines in Apple's text reports.
///
///     2   Orchard                       	       0x104a2fac0 0x104a2c000 + 15040
package struct CrashFrameLine {
    /// What stands behind the name of the image.
    package var separator = "\t"
    /// How many digits an address has at least.
    package var addressDigits = 0

    package init() {}

    /// - Parameter rest: What stands behind the address.
    package func text(number: Int, image: String, address: UInt64, rest: String) -> String {
        var digits = TextBytes()
        digits.add(hex: address, width: addressDigits)
        return padded("\(number)", to: 3) + " " + padded(image, to: 30) + separator
            + blanks(18 - digits.count) + digits.text + " " + rest
    }
}

extension SymbolicatedFrame {
    /// File and line as Apple's formats show them.
    package var applePlace: (file: String, line: UInt32)? { writtenFile.map { ($0, writtenLine) } }

    /// `Cart.total(of:) + 8 (Cart.swift:13) [inlined]`, as text reports have it.
    package var crashText: String {
        var text = shown(function ?? mangled ?? "???")
        if let distance = writtenDistance { text += " + \(distance)" }
        if let place = applePlace { text += " (\(shown(place.file)):\(place.line))" }
        if isInlined { text += " [inlined]" }
        return text
    }
}
