import CallStacks

/// How wide the columns of linear stacks are, the same for all threads of a diagnostic.
struct ThreadColumns {
    /// Names shorter than this leave blanks, so that most reports look alike.
    private static let nameWidthMinimum = 12
    /// Longer names move the rest of their own line only.
    private static let nameWidthLimit = 30

    let nameWidth: Int
    /// What stands behind the names.
    var numbers: Numbers

    /// Addresses; where the report has none at all, as flat trees and Android's, offsets.
    enum Numbers {
        case none, addresses
        /// - Parameter digits: How many the largest has.
        case offsets(digits: Int)
    }

    init(of diagnostic: SymbolicatedDiagnostic) {
        var longest = Self.nameWidthMinimum
        var hasAddresses = false
        var last: String?
        var largest: UInt64 = 0
        // By index, because to copy a row costs more than to look at it.
        for row in diagnostic.frames.indices {
            if diagnostic.frames[row].address != nil { hasAddresses = true }
            largest = max(largest, diagnostic.frames[row].offset?.rawValue ?? 0)
            guard longest < Self.nameWidthLimit, diagnostic.frames[row].imageName != last
            else { continue }
            last = diagnostic.frames[row].imageName
            longest = max(longest, last?.count ?? 0)
        }
        nameWidth = min(longest, Self.nameWidthLimit)
        numbers =
            hasAddresses
            ? .addresses : .offsets(digits: String(largest, radix: 16).utf8.count)
    }
}

/// A linear stack, a line for each row.
struct ThreadText {
    private static let numberWidth = 4
    private static let addressDigits = 16

    let columns: ThreadColumns
    let frameText: FrameText
    var excerpts: [Int: SourceExcerpt] = [:]
    /// Whether calls that repeat themselves are written once, with how often they come.
    var foldsRecursion = false

    /// - Parameter isOnePath: Whether the rows are one stack though their links do not say so. Else
    ///   a row without a parent starts another path of the thread, and numbers start again.
    func write(
        _ diagnostic: SymbolicatedDiagnostic, rows: some Sequence<Int>, isOnePath: Bool = false,
        to text: inout TextBytes
    ) {
        var number = 0
        var nameColumn = NameColumn(width: columns.nameWidth)
        // A span hands rows out without copying them.
        let frames = diagnostic.frames.span
        let shown = rows.filter { !frames[$0].remarks.contains(.duplicateInnermost) }
        var place = shown.startIndex
        var cycleEnd: Int?
        var recursion: Recursion?
        while place < shown.endIndex {
            let index = shown[place]
            if frames[index].parent == nil, number > 0, !isOnePath {
                number = 0
                text.add("\n")
            }
            if foldsRecursion, cycleEnd == nil {
                recursion = Recursion(in: shown[place...], of: diagnostic.frames)
                cycleEnd = recursion.map { place + $0.length }
            }
            write(frames[index], number: number, &nameColumn, to: &text)
            text.add("\n")
            if let excerpt = excerpts[index] {
                text.add(
                    ExcerptText(style: frameText.style)
                        .text(of: excerpt, marking: frames[index].line))
            }
            number += 1
            place += 1
            guard let recursion, place == cycleEnd else { continue }
            cycleEnd = nil
            place += recursion.length * (recursion.count - 1)
            number += recursion.length * (recursion.count - 1)
            write(recursion, before: number, to: &text)
        }
    }

    /// `    × 9,980  frame 3 repeats as far as frame 9982`
    private func write(_ recursion: Recursion, before number: Int, to text: inout TextBytes) {
        let last = number - recursion.length * (recursion.count - 1) - 1
        let first = last - recursion.length + 1
        let cycle = first == last ? "frame \(first) repeats" : "frames \(first) to \(last) repeat"
        text.addBlanks(Self.numberWidth)
        text.add("× \(grouped(recursion.count))  \(cycle) as far as frame \(number - 1)\n")
    }

    private func write(
        _ row: SymbolicatedFrame, number: Int, _ nameColumn: inout NameColumn,
        to text: inout TextBytes
    ) {
        let role: StackStyle.Role? = row.isInApp ? nil : .system
        frameText.style.write(as: role, to: &text) { text in
            let start = text.count
            text.add(number)
            text.addBlanks(start + Self.numberWidth - 1 - text.count)
            text.add(" ")
            nameColumn.write(row.imageName, to: &text)
            text.add("  ")
            switch columns.numbers {
            case .none: return
            case .addresses: write(address: row.address, to: &text)
            case .offsets(let digits): write(offset: row.offset, digits: digits, to: &text)
            }
            text.add("  ")
        }
        frameText.write(row, to: &text)
    }
}

extension ThreadText {
    private func write(address: RuntimeAddress?, to text: inout TextBytes) {
        if let address {
            text.add(hex: address.rawValue, width: Self.addressDigits)
        } else {
            text.addBlanks(Self.addressDigits + 2)
        }
    }

    /// `+0x2029`, so that it is not taken for an address.
    private func write(offset: ImageOffset?, digits: Int, to text: inout TextBytes) {
        let start = text.count
        if let offset {
            text.add("+")
            text.add(hex: offset.rawValue)
        }
        text.addBlanks(start + digits + 3 - text.count)
    }
}

/// The column with the names of images. Frames of one image mostly follow one another, so its last
/// text is kept.
private struct NameColumn {
    private let width: Int
    private var name: String?
    private var text: String

    init(width: Int) {
        self.width = width
        text = Self.text(of: nil, width)
    }

    mutating func write(_ name: String?, to text: inout TextBytes) {
        if name != self.name {
            self.name = name
            self.text = Self.text(of: name, width)
        }
        text.add(self.text)
    }

    private static func text(of name: String?, _ width: Int) -> String {
        padded(shown(name ?? "???"), to: width)
    }
}
