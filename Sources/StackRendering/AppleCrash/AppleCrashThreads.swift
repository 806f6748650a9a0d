import CallStacks

/// The stacks of a report: those of exceptions and libraries first, then the threads.
struct AppleCrashThreads {
    /// The stacks, separated by blank lines.
    let exceptions: String
    let threads: String

    init(
        _ diagnostic: SymbolicatedDiagnostic, images: AppleCrashImages, layout: AppleCrashLayout
    ) {
        func text(_ role: StackRole) -> [String] {
            diagnostic.stacks.filter { $0.role == role }.map { stack in
                let rows = diagnostic.frames[stack.frames]
                return stack.crashHead(in: layout) + Self.lines(rows, images: images)
            }
        }
        exceptions = (text(.applicationBacktrace) + text(.allocation) + text(.lastException))
            .joined(separator: "\n")
        threads = text(.thread).joined(separator: "\n")
    }

    private static func lines(
        _ rows: ArraySlice<SymbolicatedFrame>, images: AppleCrashImages
    ) -> String {
        let line = CrashFrameLine()
        var text = TextBuilder()
        var number = 0
        for row in rows {
            // Another path through the thread starts at its own innermost frame.
            if row.parent == nil { number = 0 }
            text.add(
                line.text(
                    number: number, image: shown(row.imageName ?? "???"),
                    address: images.address(of: row) ?? 0, rest: rest(of: row, images: images)))
            text.add("\n")
            number += 1
        }
        return text.text
    }

    /// Returns `Cart.total(of:) + 8 (Cart.swift:13)`, or `0x104a2c000 + 15040` without a function.
    private static func rest(of row: SymbolicatedFrame, images: AppleCrashImages) -> String {
        guard row.function == nil, row.mangled == nil else { return row.crashText }
        if let base = images.base(of: row), let offset = row.offset {
            return "\(hex(base)) + \(offset.rawValue)"
        }
        return row.address.map { "0x0 + \($0.rawValue)" } ?? "???"
    }
}

extension CallStack {
    fileprivate func crashHead(in layout: AppleCrashLayout) -> String {
        switch role {
        case .lastException: return "Last Exception Backtrace:\n"
        case .applicationBacktrace, .allocation: return "Application Specific Backtrace \(index):\n"
        case .thread: break
        }
        let head = "Thread \(index)\(isAttributed ? " \(mark ?? "Crashed")" : "")"
        // A thread without a name is listed with the queue's name.
        let own = name == queue ? nil : name
        let label =
            (own.map { " " + shown($0) } ?? "")
            + (queue.map { "  Dispatch queue: " + shown($0) } ?? "")
        if label.isEmpty { return head + ":\n" }
        switch layout {
        case .embedded: return "Thread \(index) name: \(label)\n\(head):\n"
        case .mac: return "\(head)::\(label)\n"
        }
    }
}
