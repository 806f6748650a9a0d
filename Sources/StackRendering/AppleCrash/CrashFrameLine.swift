package import CallStacks

/// The columns of frame lines in Apple's text reports.
///
///     2   Orchard                       	       0x104a2fac0 0x104a2c000 + 15040
package struct CrashFrameLine {
    /// The separator after the image's name.
    package var separator = "\t"
    /// The minimum number of digits of an address.
    package var addressDigits = 0

    package init() {}

    /// - Parameter rest: The text after the address.
    package func text(number: Int, image: String, address: UInt64, rest: String) -> String {
        var digits = TextBuilder()
        digits.add(hex: address, width: addressDigits)
        return padded("\(number)", to: 3) + " " + padded(image, to: 30) + separator
            + blanks(18 - digits.count) + digits.text + " " + rest
    }
}

extension SymbolicatedFrame {
    /// The file and line in the form of Apple's reports.
    package var appleLocation: (file: String, line: UInt32)? { fileLabel.map { ($0, exactLine) } }

    /// `Cart.total(of:) + 8 (Cart.swift:13) [inlined]`, the form of text reports.
    package var crashText: String {
        var text = shown(function ?? mangled ?? "???")
        if let distance = codeDistance { text += " + \(distance)" }
        if let location = appleLocation { text += " (\(shown(location.file)):\(location.line))" }
        if isInlined { text += " [inlined]" }
        return text
    }
}
