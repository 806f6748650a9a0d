import CallStacks

/// Writes functions into the tables of a backtrace, as the runtime does when it has symbols. Every
/// function gets a row and a number. Gaps in the numbers keep their length.
struct SwiftTextRewriter: ReportRewriter {
    let file: [UInt8]
    let tables: [SwiftTable]
    let imageNames: Set<String>
    let images: SwiftFrameBuilder
    /// Whether rows have attributes.
    let hasAttributes: Bool

    func edits(with results: FrameFunctions, budget: inout EditBudget) -> [Edit] {
        guard tables.contains(where: { isResolved($0, by: results) }) else { return [] }
        return tables.flatMap { table in
            fits(table, with: results, budget: &budget) ? edits(of: table, with: results) : []
        }
    }

    /// Whether a table fits the budget. All of its rows are rewritten, including unresolved frames,
    /// and each repeats its log record.
    private func fits(
        _ table: SwiftTable, with results: FrameFunctions, budget: inout EditBudget
    ) -> Bool {
        table.entries.allSatisfy { entry in
            guard case .frame(let index) = entry.content, let last = table.rows[entry.rows].last
            else { return true }
            let image = self.image(of: last.row, at: entry.site)?.utf8.count ?? 0
            let record = last.line.fragments.last?.record.count ?? 0
            let copied = image + record + LineScanner.attributesByteCount
            let functions = results.functions(at: index)
            guard functions.isEmpty else {
                return functions.allSatisfy {
                    budget.reserve(SwiftFunction($0).byteCount + copied)
                }
            }
            return entry.rows.allSatisfy { _ in budget.reserve(copied) }
        }
    }

    private func isResolved(_ table: SwiftTable, by results: FrameFunctions) -> Bool {
        table.entries.contains { entry in
            guard case .frame(let index) = entry.content else { return false }
            return !results.functions(at: index).isEmpty
        }
    }

    private func edits(of table: SwiftTable, with results: FrameFunctions) -> [Edit] {
        var number = table.rows.first?.row.index ?? 0
        var rows: [[SwiftOutputRow]] = []
        for entry in table.entries {
            rows.append(self.rows(of: entry, in: table, results: results, number: &number))
        }
        let columns = SwiftRowColumns(rows.joined(), hasAttributes: hasAttributes)
        return zip(table.entries, rows).flatMap { entry, rows in
            let old = table.rows[entry.rows]
            let isColored = old.first?.isColored == true
            return edits(
                replacing: old,
                by: rows.map { Array(columns.text(of: $0, isColored: isColored).utf8) })
        }
    }

    /// Replaces old rows one by one; further new ones follow the last.
    private func edits(
        replacing old: ArraySlice<SwiftTrace.Row>, by rows: [[UInt8]]
    ) -> [Edit] {
        var rest = rows[...]
        var edits: [Edit] = []
        for (index, row) in zip(old.indices, old) {
            let isLast = index == old.endIndex - 1
            let taken = isLast ? rest : rest.prefix(1)
            edits += row.line.edits(rewritingAs: Array(taken), in: file)
            rest = rest.dropFirst(taken.count)
        }
        return edits
    }

    private func rows(
        of entry: SwiftTable.Entry, in table: SwiftTable, results: FrameFunctions,
        number: inout Int
    ) -> [SwiftOutputRow] {
        let old = table.rows[entry.rows].map(\.row)
        switch entry.content {
        case .truncated: return [SwiftOutputRow.gap]
        case .omitted(let count):
            number = number.addingReportingOverflow(count).partialValue
            return [SwiftOutputRow.gap]
        case .frame(let index):
            var rows = written(old, at: entry.site, functions: results.functions(at: index))
            for index in rows.indices {
                rows[index].index = String(number)
                number += 1
            }
            return rows
        }
    }

    /// Returns the name of the image at a row's address, or the one in the row.
    private func image(of row: SwiftRow, at site: SwiftRow.Site) -> String? {
        let frame = row.address.map {
            images.frame(at: $0.value, site, imageName: nil, parent: nil)
        }
        return frame?.imageName ?? SwiftRowText(row.rest, images: imageNames).image
    }

    private func written(
        _ old: [SwiftRow], at site: SwiftRow.Site, functions: [SymbolicatedFrame]
    ) -> [SwiftOutputRow] {
        guard let last = old.last, let address = last.address else { return [] }
        let image = image(of: last, at: site)
        guard functions.isEmpty else {
            return functions.map { row in
                let function = SwiftFunction(row)
                return SwiftOutputRow(
                    attributes: hasAttributes ? function.attributes(site) : [],
                    address: address.text,
                    text: function.rowText(image: image))
            }
        }
        return old.map { row in
            let isBare = row.rest.isEmpty
            let unknown = SwiftRowText(
                name: image == nil ? "" : SwiftRowText.unknownName, image: image)
            return SwiftOutputRow(
                attributes: row.attributes, address: address.text,
                text: isBare ? unknown : SwiftRowText(row.rest, images: imageNames))
        }
    }
}

/// A row to be written.
struct SwiftOutputRow {
    var index: String?
    var attributes: [String]
    var address: String
    var text: SwiftRowText

    init(attributes: [String], address: String, text: SwiftRowText) {
        self.attributes = attributes
        self.address = address
        self.text = text
    }

    /// The row for omitted frames.
    static let gap = Self(attributes: [], address: "", text: SwiftRowText(name: ""))
}

/// The widths of a table's columns.
struct SwiftRowColumns {
    private let index: Int
    /// The width, or `nil` without such a column.
    private let attributes: Int?

    init(_ rows: some Sequence<SwiftOutputRow>, hasAttributes: Bool) {
        var (index, attributes) = (Self.gap.count, 0)
        for row in rows {
            index = max(index, row.index?.count ?? 0)
            attributes = max(attributes, row.attributes.reduce(-1) { $0 + $1.count + 3 })
        }
        self.index = index
        self.attributes = hasAttributes ? attributes : nil
    }

    func text(of row: SwiftOutputRow, isColored: Bool) -> String {
        let paint = SwiftRowColors(isColored: isColored)
        let number = row.index ?? Self.gap
        var text = String(repeating: " ", count: index - number.count)
        text += paint(number, .index)
        if row.address.isEmpty, !isColored { return text }
        if let attributes {
            let width = row.attributes.reduce(-1) { $0 + $1.count + 3 }
            let painted = row.attributes.map { paint("[\($0)]", .attribute) }
            text += " " + painted.joined(separator: " ")
            text += String(repeating: " ", count: max(attributes - max(width, 0), 0))
        }
        text += " " + paint(row.address, .address)
        guard !row.text.name.isEmpty else { return text }
        text += " " + paint(row.text.name, .name)
        if let distance = row.text.distance { text += paint(" " + distance, .distance) }
        if let image = row.text.image { text += " in " + paint(image, .image) }
        if let location = row.text.location { text += " at " + paint(location, .location) }
        return text
    }

    private static let gap = "..."
}

/// The colours that the runtime uses for a row's columns.
struct SwiftRowColors {
    enum Column: Int {
        case index = 90, attribute = 34, address = 32, name = 96, distance = 37, image = 36,
            location = 33
    }

    let isColored: Bool

    func callAsFunction(_ text: String, _ column: Column) -> String {
        isColored ? "\u{1b}[\(column.rawValue)m\(text)\u{1b}[39m" : text
    }
}
