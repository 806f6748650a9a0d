import CallStacks

/// A backtrace in text as a diagnostic, with its rewriter.
struct SwiftTraceModel {
    /// The report, or `nil` if no thread has frames.
    let report: CrashReport?

    init(_ trace: SwiftTrace, in file: [UInt8]) {
        var frameCount = 0
        let hasAttributes = Self.hasAttributes(trace)
        let tables = trace.threads.map {
            SwiftTable($0, hasAttributes: hasAttributes, frameCount: &frameCount)
        }
        guard frameCount > 0 else {
            report = nil
            return
        }
        let names = Set(trace.images.compactMap(\.name))
        var diagnostic = Diagnostic(
            kind: .crash, details: Self.details(of: trace),
            tree: Self.tree(trace, tables: tables, names: names), remarks: Self.remarks(of: trace))
        diagnostic.images = trace.images
        let written = zip(trace.threads, tables).filter(\.0.isTable).map(\.1)
        report = CrashReport(
            .swiftText, range: trace.range, content: .resolved(diagnostic),
            rewriter: SwiftTextRewriter(
                file: file, tables: written, imageNames: names,
                images: SwiftFrameBuilder(images: trace.images), hasAttributes: hasAttributes))
    }

    /// Whether rows have attributes, which the runtime can be set to omit. Callers always have one.
    private static func hasAttributes(_ trace: SwiftTrace) -> Bool {
        trace.threads.contains { $0.rows.contains { !$0.row.attributes.isEmpty } }
            || trace.threads.allSatisfy { $0.rows.filter { $0.row.address != nil }.count < 2 }
    }

    private static func details(of trace: SwiftTrace) -> DiagnosticDetails {
        var details = DiagnosticDetails()
        details.processName = trace.threads.first { $0.index == 0 }?.name
        let words = trace.platform?.split(separator: " ", maxSplits: 1) ?? []
        details.architecture = words.first.map(String.init)
        details.osVersion = words.count > 1 ? String(words[1]) : nil
        details.take(trace.preamble)
        return details
    }

    private static func remarks(of trace: SwiftTrace) -> [Remark] {
        var remarks = trace.remarks
        if !trace.hasImageList { remarks.append(.noImageList) }
        if !trace.isWhole { remarks.append(.textTruncated) }
        return remarks
    }

    private static func tree(
        _ trace: SwiftTrace, tables: [SwiftTable], names: Set<String>
    ) -> CallStackTree {
        var tree = CallStackTree(form: .threads)
        tree.distancesEndAtLookupOffset = true
        let maker = SwiftFrameBuilder(images: trace.images)
        for (thread, table) in zip(trace.threads, tables) {
            let start = tree.frames.count
            for entry in table.entries {
                add(entry, of: table, to: &tree, maker: maker, names: names, start: start)
            }
            tree.stacks.append(
                CallStack(
                    index: thread.index, name: thread.name, isAttributed: thread.isCrashed,
                    frames: start..<tree.frames.count))
        }
        return tree
    }

    private static func add(
        _ entry: SwiftTable.Entry, of table: SwiftTable, to tree: inout CallStackTree,
        maker: SwiftFrameBuilder, names: Set<String>, start: Int
    ) {
        guard case .frame(let index) = entry.content else {
            if case .omitted = entry.content, tree.frames.count > start {
                tree.frames[tree.frames.count - 1].remarks.append(.framesOmitted)
            }
            return
        }
        let rows = table.rows[entry.rows].map(\.row)
        let texts = rows.map { SwiftRowText($0.rest, images: names) }
        let imageName = texts.last?.image
        var frame = CallFrame(image: nil, imageName: imageName, site: nil)
        if let address = rows.last?.address {
            frame = maker.frame(at: address.value, entry.site, imageName: imageName, parent: nil)
        }
        frame.parent = tree.frames.count > start ? tree.frames.count - 1 : nil
        tree.frames.append(frame)
        let given = zip(rows, texts).compactMap { row, text in
            text.given(isInlined: row.isInlined)
        }
        if !given.isEmpty { tree.reportedFunctions[index] = given }
    }
}
