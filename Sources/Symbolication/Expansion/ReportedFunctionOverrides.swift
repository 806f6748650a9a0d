import CallStacks

/// The functions that the report itself names, for frames where they have more information than the
/// symbols.
///
/// A function with a line is better than one without, a function from symbols is better than a name
/// in the report, and a name in the report is better than an address. The exception is a system
/// image whose local symbols are missing: there the function that starts nearer to the frame is
/// better, because the lookup cannot find local functions.
struct ReportedFunctionOverrides {
    private var results: [Int: OffsetResolution] = [:]
    /// Frames whose name is probably wrong, because the return address is at the start of a
    /// function: it follows a call that never returns, made by the function before.
    private(set) var suspects: [Int] = []

    /// - Parameters:
    ///   - hasExportsOnly: Returns whether the result for a frame is from a system image whose local
    ///     symbols are missing.
    ///   - resultAt: Returns the lookup result for a frame.
    init(
        of tree: CallStackTree, texts: inout LookupTables, hasExportsOnly: (Int) -> Bool,
        resultAt: (Int) -> OffsetResolution
    ) {
        for (index, functions) in tree.reportedFunctions.sorted(by: { $0.key < $1.key })
        where tree.frames.indices.contains(index) && !functions.isEmpty {
            let own = resultAt(index)
            let isNearer = own.starts(before: tree.reportedStart(at: index))
            guard own.worth < Self.worth(of: functions) || (isNearer && hasExportsOnly(index))
            else { continue }
            results[index] = Self.result(functions, status: own.status, texts: &texts)
            if functions.last?.distance == 0, case .returnAddress? = tree.frames[index].site {
                suspects.append(index)
            }
        }
    }

    /// The frames that get the report's functions.
    var frames: [Int] { results.keys.sorted() }

    subscript(frame: Int) -> OffsetResolution? { results[frame] }

    private static func worth(of functions: [ReportedFunction]) -> Int {
        functions.contains { $0.file != nil } ? 3 : 1
    }

    /// Converts the functions with their own distances, which are valid in unknown images too.
    private static func result(
        _ functions: [ReportedFunction], status: FrameStatus, texts: inout LookupTables
    ) -> OffsetResolution {
        let resolved = functions.map { function in
            var result = ResolvedFunction(
                status: status, name: texts.names.number(of: function.name),
                file: function.file.map { texts.files.number(of: $0) }, line: function.line,
                column: function.column, isApproximate: false, isInlined: function.isInlined,
                isInSourceFile: true)
            result.reportedDistance = function.distance
            return result
        }
        return .functions(resolved[...], start: nil)
    }
}

extension CallStackTree {
    /// Returns the start of the function that the report names at a frame, or `nil` if the report
    /// has no distance from it, or if the frame's code is before it: a return address at the start
    /// of a function belongs to the function before.
    func reportedStart(at frame: Int) -> ImageOffset? {
        guard let distance = reportedFunctions[frame]?.last?.distance,
            let lookupOffset = frames[frame].site?.lookupOffset,
            let end = frames[frame].countedOffset(toLookup: distancesEndAtLookupOffset),
            distance <= end.rawValue
        else { return nil }
        let start = ImageOffset(end.rawValue - distance)
        return start <= lookupOffset ? start : nil
    }
}

extension OffsetResolution {
    /// Whether the function that owns the code starts before `start`; `false` if either start is
    /// unknown.
    func starts(before start: ImageOffset?) -> Bool {
        guard case .functions(_, let own?) = self, let start else { return false }
        return own < start
    }

    fileprivate var worth: Int {
        switch self {
        case .unresolved: 0
        case .functions(let functions, _):
            functions.contains { $0.file != nil && $0.line > 0 } ? 3 : 2
        }
    }

    fileprivate var status: FrameStatus {
        switch self {
        case .unresolved(let status, _): status
        case .functions(let functions, _): functions.last?.status ?? .notFound
        }
    }
}
