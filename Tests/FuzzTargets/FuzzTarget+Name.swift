import Demangling

extension FuzzTarget {
    func readName(_ input: [UInt8]) throws {
        let name = String(decoding: input, as: UTF8.self)
        for style in Demangler.Style.allCases {
            let shown = Demangler(style: style).demangle(name).text
            // Truncated text ends in an ellipsis of three bytes.
            try promise(
                "a name has a bounded text", shown.utf8.count <= Demangler.textBytesLimit + 3)
        }
    }
}
