import CallStacks

/// A function of an answer, as Swift's own backtraces write one.
struct SwiftFunction: Hashable, Sendable {
    var name: String
    /// As the linker knows it.
    var symbol: String
    /// From the start of the function to what was looked up; 0 for an inlined call.
    var distance: UInt64
    /// `nil` where no file is known.
    var path: String?
    var line: UInt32
    var column: UInt32
    var isInlined: Bool

    init(_ row: SymbolicatedFrame) {
        name = row.function ?? row.mangled ?? SwiftRowText.unknownName
        symbol = row.mangled ?? name
        distance = row.isInlined ? 0 : row.functionDistance ?? 0
        path = row.hasUnwrittenFile ? SwiftRowText.compilerGenerated : row.file?.path
        line = row.writtenLine
        column = row.writtenColumn
        isInlined = row.isInlined
    }

    var isRuntimeFailure: Bool { symbol.hasPrefix("Swift runtime failure: ") }

    /// Whether it passes a call on to another function, by how Swift mangles those.
    var isThunk: Bool {
        guard symbol.hasPrefix("$s") || symbol.hasPrefix("$S") else { return false }
        let name = Self.withoutContinuation(symbol.utf8[...])
        return Self.thunkEndings.contains { name.reversed().starts(with: $0.utf8.reversed()) }
    }

    /// Whether the runtime shows it as none of the program's own.
    var isSystem: Bool {
        if isThunk { return false }
        if symbol.hasSuffix("$mainyyFZ") || symbol == "async_MainTQ0_" { return true }
        return path == SwiftRowText.compilerGenerated || (path != nil && line == 0 && column == 0)
    }

    private static let thunkEndings = ["TA", "Ta", "To", "TO", "TR", "Tr", "TW", "fC"]

    /// The name of an async function without the mark of one of its parts, such as `TQ0_`.
    private static func withoutContinuation(_ name: Substring.UTF8View) -> Substring.UTF8View {
        guard name.last == UInt8(ascii: "_") else { return name }
        let start = name.dropLast().reversed().drop(while: \.isDigit)
        guard let kind = start.first, kind == UInt8(ascii: "Q") || kind == UInt8(ascii: "Y"),
            start.dropFirst().first == UInt8(ascii: "T")
        else { return name }
        return name.prefix(start.count - 2)
    }
}

extension SwiftFunction {
    /// How long its names are, in bytes.
    var byteCount: Int { name.utf8.count + symbol.utf8.count + (path?.utf8.count ?? 0) }

    /// As a row says it.
    func rowText(image: String?) -> SwiftRowText {
        SwiftRowText(
            name: name, distance: distance > 0 ? "+ \(distance)" : nil, image: image,
            location: location)
    }

    func attributes(_ site: SwiftRow.Site) -> [String] {
        var attributes: [String] = []
        switch site {
        case .programCounter: break
        case .returnAddress: attributes.append("ra")
        case .resumePoint: attributes.append("async")
        }
        if isInlined { attributes.append("inlined") }
        if isThunk { attributes.append("thunk") }
        if isSystem { attributes.append("system") }
        return attributes
    }

    private var location: String? {
        guard let path else { return nil }
        if line == 0 { return path }
        return column == 0 ? "\(path):\(line)" : "\(path):\(line):\(column)"
    }
}
