import CallStacks

/// Writes the tables of a backtrace with an answer, as the runtime would have written them with
/// symbols at hand. Every function gets a row and a number, and jumps of the numbers over frames
/// that were left out stay as long as they were.
struct SwiftTextWriting: ReportRewriting {
    let file: [UInt8]
    let tables: [SwiftTable]
    let imageNames: Set<String>
    let images: SwiftFrameMaker
    /// Whether rows have attributes.
    let hasAttributes: Bool

    func edits(with answers: AnsweredFrames, _ budget: inout EditBudget) -> [Edit] {
        guard tables.contains(where: { isAnswered($0, by: answers) }) else { return [] }
        return tables.flatMap { table in
            fits(table, with: answers, &budget) ? edits(of: table, with: answers) : []
        }
    }

    /// Whether there is room for a table. All of its rows are written again, also those of frames
    /// without an answer, and each repeats the record of the log that it is in.
    private func fits(
        _ table: SwiftTable, with answers: AnsweredFrames, _ budget: inout EditBudget
    ) -> Bool {
        table.entries.allSatisfy { entry in
            guard case .frame(let index) = entry.content, let last = table.rows[entry.rows].last
            else { return true }
            let image = self.image(of: last.row, at: entry.site)?.utf8.count ?? 0
            let record = last.line.pieces.last?.record.count ?? 0
            let copied = image + record + LineScanner.attributesByteCount
            let functions = answers.functions(at: index)
            guard functions.isEmpty else {
                return functions.allSatisfy {
                    budget.takes(SwiftFunction($0).byteCount + copied)
                }
            }
            return entry.rows.allSatisfy { _ in budget.takes(copied) }
        }
    }

    private func isAnswered(_ table: SwiftTable, by answers: AnsweredFrames) -> Bool {
        table.entries.contains { entry in
            guard case .frame(let index) = entry.content else { return false }
            return !answers.functions(at: index).isEmpty
        }
    }

    private func edits(of table: SwiftTable, with answers: AnsweredFrames) -> [Edit] {
        var number = table.rows.first?.row.index ?? 0
        var rows: [[SwiftWrittenRow]] = []
        for entry in table.entries {
            rows.append(self.rows(of: entry, in: table, answers, &number))
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

    /// Each new row takes the line of an old one; further ones follow the last.
    private func edits(
        replacing old: ArraySlice<SwiftTrace.Row>, by rows: [[UInt8]]
    ) -> [Edit] {
        var rest = rows[...]
        var edits: [Edit] = []
        for (place, row) in zip(old.indices, old) {
            let isLast = place == old.endIndex - 1
            let taken = isLast ? rest : rest.prefix(1)
            edits += row.line.edits(rewritingAs: Array(taken), in: file)
            rest = rest.dropFirst(taken.count)
        }
        return edits
    }

    private func rows(
        of entry: SwiftTable.Entry, in table: SwiftTable, _ answers: AnsweredFrames,
        _ number: inout Int
    ) -> [SwiftWrittenRow] {
        let old = table.rows[entry.rows].map(\.row)
        switch entry.content {
        case .truncated: return [SwiftWrittenRow.gap]
        case .omitted(let count):
            number = number.addingReportingOverflow(count).partialValue
            return [SwiftWrittenRow.gap]
        case .frame(let index):
            var rows = written(old, at: entry.site, answers.functions(at: index))
            for place in rows.indices {
                rows[place].index = String(number)
                number += 1
            }
            return rows
        }
    }

    /// By its address, or what the row says.
    private func image(of row: SwiftRow, at site: SwiftRow.Site) -> String? {
        let frame = row.address.map {
            images.frame(at: $0.value, site, imageName: nil, parent: nil)
        }
        return frame?.imageName ?? SwiftRowText(row.rest, images: imageNames).image
    }

    private func written(
        _ old: [SwiftRow], at site: SwiftRow.Site, _ functions: [SymbolicatedFrame]
    ) -> [SwiftWrittenRow] {
        guard let last = old.last, let address = last.address else { return [] }
        let image = image(of: last, at: site)
        guard functions.isEmpty else {
            return functions.map { row in
                let function = SwiftFunction(row)
                return SwiftWrittenRow(
                    attributes: hasAttributes ? function.attributes(site) : [],
                    address: address.text,
                    text: function.rowText(image: image))
            }
        }
        return old.map { row in
            let isBare = row.rest.isEmpty
            let unknown = SwiftRowText(
                name: image == nil ? "" : SwiftRowText.unknownName, image: image)
            return SwiftWrittenRow(
                attributes: row.attributes, address: address.text,
                text: isBare ? unknown : SwiftRowText(row.rest, images: imageNames))
        }
    }
}

/// A row to be written.
struct SwiftWrittenRow {
    var index: String?
    var attributes: [String]
    var address: String
    var text: SwiftRowText

    init(attributes: [String], address: String, text: SwiftRowText) {
        self.attributes = attributes
        self.address = address
        self.text = text
    }

    /// What stands for frames that were left out.
    static let gap = Self(attributes: [], address: "", text: SwiftRowText(name: ""))
}

/// How wide the columns of a table are.
struct SwiftRowColumns {
    private let index: Int
    /// `nil` where there is no such column.
    private let attributes: Int?

    init(_ rows: some Sequence<SwiftWrittenRow>, hasAttributes: Bool) {
        var (index, attributes) = (Self.gap.count, 0)
        for row in rows {
            index = max(index, row.index?.count ?? 0)
            attributes = max(attributes, row.attributes.reduce(-1) { $0 + $1.count + 3 })
        }
        self.index = index
        self.attributes = hasAttributes ? attributes : nil
    }

    func text(of row: SwiftWrittenRow, isColored: Bool) -> String {
        let paint = SwiftRowPaint(isColored: isColored)
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

/// The colours that the runtime gives the columns of a row.
struct SwiftRowPaint {
    enum Part: Int {
        case index = 90, attribute = 34, address = 32, name = 96, distance = 37, image = 36,
            location = 33
    }

    let isColored: Bool

    func callAsFunction(_ text: String, _ part: Part) -> String {
        isColored ? "\u{1b}[\(part.rawValue)m\(text)\u{1b}[39m" : text
    }
}
