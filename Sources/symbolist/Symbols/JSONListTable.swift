import JSONText

/// A list in a JSON response, printed as a table.
struct JSONListTable {
    private let response: JSONDocument
    private let list: String
    private let rows: [JSONValue]
    private let columns: [(key: String, title: String)]

    /// - Parameters:
    ///   - list: The key of the list.
    ///   - columns: The members of each row, with their column titles.
    init(_ response: JSONDocument, list: String, columns: [(key: String, title: String)]) {
        self.response = response
        self.list = list
        rows = response.root?[list]?.elements.map(\.self) ?? []
        self.columns = columns
    }

    /// - Throws: ``Outcome/nothingFound`` if the list is empty.
    func print(asJSON: Bool) throws {
        if asJSON {
            Console.result(
                response.bytes.last == UInt8(ascii: "\n") ? response.bytes : response.bytes + [0x0a]
            )
        } else if !rows.isEmpty {
            Console.result(text)
        }
        guard rows.isEmpty else { return }
        Console.problem("\(list): none")
        throw Outcome.nothingFound
    }

    private var text: String {
        let cells =
            [columns.map(\.title)]
            + rows.map { row in columns.map { Self.text(of: row[$0.key]) } }
        let widths = columns.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { row in
            let padded = zip(row, widths).map { UploadText.padded($0, to: $1) }
            var line = padded.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }

    private static func text(of value: JSONValue?) -> String {
        guard let value, value.kind != .null else { return "–" }
        switch value.kind {
        case .string: return value.string ?? ""
        case .array: return value.elements.map { text(of: $0) }.joined(separator: ", ")
        default: return String(decoding: value.rawText, as: UTF8.self)
        }
    }
}
