import CallStacks

/// The widths of the columns of linear stacks, the same for all threads of a diagnostic.
struct ThreadColumns {
    /// The minimum width, so that most reports look alike.
    private static let nameWidthMinimum = 12
    /// The maximum width. A longer name moves only the rest of its own line.
    private static let nameWidthLimit = 30

    let nameWidth: Int
    var numbers: Numbers

    /// Addresses, or offsets if the report has no addresses, as in flat trees and on Android.
    enum Numbers {
        case none, addresses
        /// - Parameter digits: The digits of the largest offset.
        case offsets(digits: Int)
    }

    init(of diagnostic: SymbolicatedDiagnostic) {
        var longest = Self.nameWidthMinimum
        var hasAddresses = false
        var last: String?
        var largest: UInt64 = 0
        // Reads frames by index, because copying a frame is more expensive.
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

/// A linear stack, one line per frame.
struct ThreadText {
    private static let numberWidth = 4
    private static let addressDigits = 16

    let columns: ThreadColumns
    let frameText: FrameText
    var excerpts: [Int: SourceExcerpt] = [:]
    /// Whether repeated calls are written once, with their number.
    var foldsRecursion = false

    /// - Parameter isOnePath: Whether to treat the frames as one stack regardless of their parents.
    ///   Otherwise a frame without a parent starts another path of the thread, numbered from 0.
    func write(
        _ diagnostic: SymbolicatedDiagnostic, rows: some Sequence<Int>, isOnePath: Bool = false,
        to text: inout TextBuilder
    ) {
        var progress = Progress(
            isOnePath: isOnePath, nameColumn: NameColumn(width: columns.nameWidth))
        // A span yields frames without copying them.
        let frames = diagnostic.frames.span
        if foldsRecursion {
            var shown: [Int] = []
            for row in rows where !frames[row].isDuplicate { shown.append(row) }
            fold(shown, of: diagnostic.frames, &progress, to: &text)
        } else {
            for row in rows where !frames[row].isDuplicate {
                writeLine(row, of: frames, &progress, to: &text)
            }
        }
    }

    /// What the lines of a stack depend on besides their frames.
    private struct Progress {
        let isOnePath: Bool
        /// The number of the next frame of the path.
        var number = 0
        var nameColumn: NameColumn
    }

    /// Writes frames, the repeated calls of a recursion once.
    private func fold(
        _ rows: [Int], of frames: [SymbolicatedFrame], _ progress: inout Progress,
        to text: inout TextBuilder
    ) {
        var position = 0
        var cycleEnd: Int?
        var recursion: Recursion?
        while position < rows.count {
            if cycleEnd == nil {
                recursion = Recursion(in: rows[position...], of: frames)
                cycleEnd = recursion.map { position + $0.length }
            }
            writeLine(rows[position], of: frames.span, &progress, to: &text)
            position += 1
            guard let recursion, position == cycleEnd else { continue }
            cycleEnd = nil
            let foldedCount = recursion.length * (recursion.count - 1)
            position += foldedCount
            progress.number += foldedCount
            write(recursion, before: progress.number, to: &text)
        }
    }

    /// Writes the line of a frame, and the source code to show below it.
    private func writeLine(
        _ row: Int, of frames: Span<SymbolicatedFrame>, _ progress: inout Progress,
        to text: inout TextBuilder
    ) {
        if frames[row].parent == nil, progress.number > 0, !progress.isOnePath {
            progress.number = 0
            text.add("\n")
        }
        write(
            frames[row], number: progress.number, nameColumn: &progress.nameColumn, to: &text)
        text.add("\n")
        if let excerpt = excerpts[row] {
            text.add(
                ExcerptText(style: frameText.style).text(of: excerpt, marking: frames[row].line))
        }
        progress.number += 1
    }

    /// Writes a line such as `    × 9,980  frame 3 repeats as far as frame 9982`.
    private func write(_ recursion: Recursion, before number: Int, to text: inout TextBuilder) {
        let last = number - recursion.length * (recursion.count - 1) - 1
        let first = last - recursion.length + 1
        let cycle = first == last ? "frame \(first) repeats" : "frames \(first) to \(last) repeat"
        text.addBlanks(Self.numberWidth)
        text.add("× \(grouped(recursion.count))  \(cycle) as far as frame \(number - 1)\n")
    }

    private func write(
        _ row: SymbolicatedFrame, number: Int, nameColumn: inout NameColumn,
        to text: inout TextBuilder
    ) {
        let role: StackStyle.Role? = row.isInApp ? nil : .system
        // A closure that uses the frame itself would copy it.
        let (imageName, address, offset) = (row.imageName, row.address, row.offset)
        frameText.style.write(as: role, to: &text) { text in
            let start = text.count
            text.add(number)
            text.addBlanks(start + Self.numberWidth - 1 - text.count)
            text.add(" ")
            nameColumn.write(imageName, to: &text)
            text.add("  ")
            switch columns.numbers {
            case .none: return
            case .addresses: write(address: address, to: &text)
            case .offsets(let digits): write(offset: offset, digits: digits, to: &text)
            }
            text.add("  ")
        }
        frameText.write(row, to: &text)
    }
}

extension ThreadText {
    private func write(address: RuntimeAddress?, to text: inout TextBuilder) {
        if let address {
            text.add(hex: address.rawValue, width: Self.addressDigits)
        } else {
            text.addBlanks(Self.addressDigits + 2)
        }
    }

    /// Writes an offset as `+0x2029`, so that it is not mistaken for an address.
    private func write(offset: ImageOffset?, digits: Int, to text: inout TextBuilder) {
        let start = text.count
        if let offset {
            text.add("+")
            text.add(hex: offset.rawValue)
        }
        text.addBlanks(start + digits + 3 - text.count)
    }
}

/// The column of image names. Consecutive frames are usually in the same image, so the last name is
/// cached.
private struct NameColumn {
    private let width: Int
    private var name: String?
    private var shownName = shown("???")
    private var blankCount: Int

    init(width: Int) {
        self.width = width
        blankCount = paddingCount(of: shownName, to: width)
    }

    mutating func write(_ name: String?, to text: inout TextBuilder) {
        if name != self.name {
            self.name = name
            shownName = shown(name ?? "???")
            blankCount = paddingCount(of: shownName, to: width)
        }
        text.add(shownName)
        text.addBlanks(blankCount)
    }
}

extension SymbolicatedFrame {
    /// Whether it repeats another frame, and is not shown.
    fileprivate var isDuplicate: Bool { remarks.contains(.duplicateInnermost) }
}
