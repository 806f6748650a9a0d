import CallStacks
public import Demangling
public import SymbolIndexes

/// The text of a Breakpad symbol file, generated from an index piece by piece. It needs memory for
/// a batch of functions, and a bit for each name.
///
/// Addresses are image offsets. Functions with lines or inlined calls are `FUNC` records with the
/// size of their code; others, which are known only from a symbol table, are `PUBLIC` records at
/// the end. Code without a line has no line record.
public struct BreakpadText: Sendable {
    private enum Stage {
        case header, files(Int), origins(Int), functions, publics, end
    }

    /// The number of functions and of texts in a piece.
    private static let batchCount = 512

    private let index: SymbolIndex
    private let moduleName: String
    private let demangler: Demangler
    private var stage = Stage.header
    private var reader: IndexedFunctionReader
    private var origins: [IndexedName] = []

    /// - Parameters:
    ///   - moduleName: The file name of the image.
    /// - Throws: `SymbolIndexError` if the index is damaged.
    public init(
        _ index: SymbolIndex, moduleName: String, demangler: Demangler = Demangler()
    ) throws(SymbolIndexError) {
        self.index = index
        self.moduleName = moduleName
        self.demangler = demangler
        reader = try IndexedFunctionReader(index)
    }

    /// Returns the next piece of the text, or `nil` at the end.
    ///
    /// - Throws: `SymbolIndexError` if the index is damaged.
    public mutating func next() throws(SymbolIndexError) -> [UInt8]? {
        switch stage {
        case .header: return try header()
        case .files(let first): return try files(from: first)
        case .origins(let first): return try origins(from: first)
        case .functions: return try functions(areWithLines: true, then: .publics)
        case .publics: return try functions(areWithLines: false, then: .end)
        case .end: return nil
        }
    }

    private mutating func header() throws(SymbolIndexError) -> [UInt8] {
        stage = .files(0)
        let image = index.image
        let isBuildID = image.identityKind == .buildID
        var text = "MODULE \(isBuildID ? "Linux" : "mac") \(image.architecture.breakpadName)"
        text += " \(DebugID(image.id, isBuildID: isBuildID).breakpad) \(moduleName.onOneLine)\n"
        if isBuildID { text += "INFO CODE_ID \(image.id.hex.uppercased())\n" }
        return Array(text.utf8)
    }

    private mutating func files(from first: Int) throws(SymbolIndexError) -> [UInt8]? {
        let end = min(first + Self.batchCount, index.fileCount)
        var text = ""
        for number in first..<end {
            let path = try index.file(IndexedFile(rawValue: UInt32(number))).path.onOneLine
            text += "FILE \(number) \(path.isEmpty ? Self.unknownFile : path)\n"
        }
        if end == index.fileCount {
            text += "FILE \(end) \(Self.unknownFile)\n"
            origins = try index.inlinedNames()
            stage = .origins(0)
        } else {
            stage = .files(end)
        }
        return Array(text.utf8)
    }

    private static let unknownFile = "<unknown>"

    private mutating func origins(from first: Int) throws(SymbolIndexError) -> [UInt8]? {
        let batch = origins.dropFirst(first).prefix(Self.batchCount)
        guard !batch.isEmpty else {
            origins = []
            stage = .functions
            return try next()
        }
        stage = .origins(first + batch.count)
        var text = ""
        for (number, name) in zip(batch, try names(Array(batch))) {
            text += "INLINE_ORIGIN \(number.rawValue) \(name)\n"
        }
        return Array(text.utf8)
    }

    private mutating func functions(
        areWithLines: Bool, then next: Stage
    ) throws(SymbolIndexError) -> [UInt8]? {
        var batch: [IndexedFunction] = []
        var isAtEnd = false
        while batch.count < Self.batchCount, !isAtEnd {
            guard let function = try reader.next() else {
                isAtEnd = true
                break
            }
            if function.hasLines == areWithLines { batch.append(function) }
        }
        if isAtEnd {
            stage = next
            reader = try IndexedFunctionReader(index)
        }
        var text = ""
        for (function, name) in zip(batch, try names(batch.map(\.name))) {
            write(function, name: name, to: &text)
        }
        return text.isEmpty ? try self.next() : Array(text.utf8)
    }

    private func write(_ function: IndexedFunction, name: String, to text: inout String) {
        let start = function.range.lowerBound.hex
        guard function.hasLines else {
            text += "PUBLIC \(start) 0 \(name)\n"
            return
        }
        text += "FUNC \(start) \(function.range.size) 0 \(name)\n"
        for call in function.calls {
            text +=
                "INLINE \(call.depth) \(call.line) \(number(of: call.file)) \(call.name.rawValue)"
            for range in call.ranges { text += " \(range.lowerBound.hex) \(range.size)" }
            text += "\n"
        }
        for line in function.lines where line.isKnown {
            text += "\(line.range.lowerBound.hex) \(line.range.size) \(line.line)"
            text += " \(number(of: line.file))\n"
        }
    }

    private func number(of file: IndexedFile?) -> Int {
        file.map { Int($0.rawValue) } ?? index.fileCount
    }

    /// Returns demangled names. Each batch has a budget, so that hostile names cannot delay a piece
    /// for long.
    private func names(_ numbers: [IndexedName]) throws(SymbolIndexError) -> [String] {
        var linkageNames: [String?] = []
        for number in numbers { linkageNames.append(try index.name(number)) }
        var budget = DemanglingBudget()
        var shown = demangler.demangle(linkageNames.compactMap(\.self), budget: &budget)[...]
        return linkageNames.map { name in
            let text = name == nil ? nil : shown.popFirst()?.text
            return text.map(\.onOneLine) ?? "<name omitted>"
        }
    }
}

extension IndexedFunction {
    fileprivate var hasLines: Bool { !calls.isEmpty || lines.contains(where: \.isKnown) }
}

extension IndexedFunction.Line {
    fileprivate var isKnown: Bool { line > 0 && file != nil }
}

extension ImageOffset {
    fileprivate var hex: String { String(rawValue, radix: 16) }
}

extension Range<ImageOffset> {
    /// The size in bytes, as a hexadecimal number.
    fileprivate var size: String {
        String(upperBound.rawValue - lowerBound.rawValue, radix: 16)
    }
}

extension Architecture {
    /// The name in `MODULE` records, which are the same for all systems.
    fileprivate var breakpadName: String {
        switch name {
        case "aarch64": "arm64"
        case "i386", "i686": "x86"
        case "armv6", "armv7", "armv7s", "armv7k": "arm"
        case let name: name
        }
    }
}

extension String {
    /// The text with control characters and line separators replaced by spaces.
    fileprivate var onOneLine: String {
        guard unicodeScalars.contains(where: Self.breaksLine) else { return self }
        return String(
            String.UnicodeScalarView(unicodeScalars.map { Self.breaksLine($0) ? " " : $0 }))
    }

    private static func breaksLine(_ scalar: Unicode.Scalar) -> Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }
}
