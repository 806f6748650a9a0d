import CallStacks
import JSONText

extension ReportedFunction {
    /// Reads the function of a frame object; `nil` if it has none. MetricKit never writes one, but
    /// App Store Connect and symbolicators do.
    init?(of value: JSONValue, isInlined: Bool, limits: PayloadLimits) {
        guard let name = value["symbolName"]?.string, !name.isEmpty else { return nil }
        let file = value["fileName"]?.string.flatMap { name in
            name.isEmpty || name == SourceFile.compilerGeneratedPath
                ? nil : SourceFile(folder: "", name: String(name.prefix(limits.nameLength)))
        }
        self.init(
            name: String(name.prefix(limits.nameLength)),
            distance: Self.number(value["offsetIntoSymbol"]), file: file,
            line: Self.number(value["lineNumber"]).flatMap(UInt32.init(exactly:)) ?? 0,
            isInlined: isInlined)
    }

    private static func number(_ value: JSONValue?) -> UInt64? {
        guard let value, case .value(let number) = ReceivedInteger(value) else { return nil }
        return number
    }
}
