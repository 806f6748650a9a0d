import CallStacks

/// A function as Swift's own backtraces show it.
struct SwiftFunction: Hashable, Sendable {
    var name: String
    /// The linkage name.
    var symbol: String
    /// The distance from the function's start to the lookup address; 0 for an inlined call.
    var distance: UInt64
    /// The source file, or `nil` if it is unknown.
    var path: String?
    var line: UInt32
    var column: UInt32
    var isInlined: Bool

    init(_ row: SymbolicatedFrame) {
        name = row.function ?? row.mangled ?? SwiftRowText.unknownName
        symbol = row.mangled ?? name
        distance = row.isInlined ? 0 : row.functionDistance ?? 0
        path = row.hasCompilerGeneratedFile ? SourceFile.compilerGeneratedPath : row.file?.path
        line = row.exactLine
        column = row.exactColumn
        isInlined = row.isInlined
    }

    var isRuntimeFailure: Bool { symbol.hasPrefix("Swift runtime failure: ") }

    /// Whether it is a thunk, judging by Swift's mangling.
    var isThunk: Bool {
        guard symbol.hasPrefix("$s") || symbol.hasPrefix("$S") else { return false }
        let name = Self.withoutContinuation(symbol.utf8[...])
        return Self.thunkEndings.contains { name.reversed().starts(with: $0.utf8.reversed()) }
    }

    /// Whether the runtime marks it as a system function.
    var isSystem: Bool {
        if isThunk { return false }
        if symbol.hasSuffix("$mainyyFZ") || symbol == "async_MainTQ0_" { return true }
        return path == SourceFile.compilerGeneratedPath || (path != nil && line == 0 && column == 0)
    }

    private static let thunkEndings = ["TA", "Ta", "To", "TO", "TR", "Tr", "TW", "fC"]

    /// Returns the name of an async function without the suffix of a continuation, such as `TQ0_`.
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
    /// The size of its names, in bytes.
    var byteCount: Int { name.utf8.count + symbol.utf8.count + (path?.utf8.count ?? 0) }

    /// Returns the text of its row.
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
