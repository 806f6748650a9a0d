/// The view options of a diagnostic. The URL contains every option that is not the default.
public struct DiagnosticViewOptions: Hashable, Sendable {
    public enum Frames: String, Sendable, CaseIterable { case folded, all }
    public enum Names: String, Sendable, CaseIterable { case plain, mangled }
    public enum Paths: String, Sendable, CaseIterable { case file, full }
    public enum Form: String, Sendable, CaseIterable { case stack, text, original }

    public var frames = Frames.folded
    public var names = Names.plain
    public var paths = Paths.file
    public var form = Form.stack
    /// The thread that is shown from ``firstRow`` on, and that row.
    public var thread: Int?
    public var firstRow = 0

    /// The remembered choices, which apply to pages without parameters.
    public private(set) var remembered: Set<String> = []

    public init() {}

    /// - Parameter words: The values of earlier choices, in any order. Unknown ones are ignored.
    public init(remembering words: some Sequence<String>) {
        for word in words {
            if let choice = Frames(rawValue: word) { frames = choice }
            if let choice = Names(rawValue: word) { names = choice }
            if let choice = Paths(rawValue: word) { paths = choice }
            if let choice = Form(rawValue: word) { form = choice }
        }
        remembered = Set(self.words)
    }

    /// The choices that are not the default.
    public var words: [String] {
        let all = [frames.rawValue, names.rawValue, paths.rawValue, form.rawValue]
        return all.filter { !Self.defaults.contains($0) }
    }

    private static let defaults: Set<String> = ["folded", "plain", "file", "stack"]

    /// The choices as query parameters, without those that apply to pages without parameters.
    var query: [(name: String, value: String?)] {
        let choices = [
            parameter("frames", frames), parameter("names", names), parameter("paths", paths),
        ]
        let choosesStack = thread != nil || choices.contains { $0.value != nil }
        guard choosesStack, form != .stack else { return choices + [parameter("view", form)] }
        return choices + [("view", form.rawValue)]
    }

    private func parameter<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, _ choice: Choice
    ) -> (name: String, value: String?) {
        let known = Choice.allCases.map(\.rawValue)
        let usual =
            known.first { remembered.contains($0) } ?? known.first { Self.defaults.contains($0) }
        return (name, choice.rawValue == usual ? nil : choice.rawValue)
    }

    /// The choices that are not the default, each with the options that undo it.
    var pills: [(label: String, without: Self)] {
        var pills: [(String, Self)] = []
        func add(_ label: String, _ undo: (inout Self) -> Void) {
            var options = self
            undo(&options)
            pills.append((label, options))
        }
        if frames == .all { add("all frames") { $0.frames = .folded } }
        if names == .mangled { add("mangled") { $0.names = .plain } }
        if paths == .full { add("full paths") { $0.paths = .file } }
        if form != .stack { add(form.rawValue) { $0.form = .stack } }
        return pills
    }
}
