public import CallStacks
import StackRendering

/// What `atos` prints for a number: a line, or with inlined calls a group of lines and a delimiter.
///
///     file1_func2(int) (in main) (file1.cpp:13)
///     file1_func1(int) (in main) (file1.cpp:9)
///
/// Scripts take these lines apart, so they are exactly those of Apple's tool.
public struct AtosText: Sendable {
    private let showsInlinedCalls: Bool
    private let usesFullPaths: Bool
    private let delimiter: String

    /// - Parameters:
    ///   - showsInlinedCalls: Whether every inlined call has a line, or the function that holds them
    ///     all alone, with the line in it that they were called from.
    ///   - delimiter: What follows each group.
    public init(showsInlinedCalls: Bool, usesFullPaths: Bool, delimiter: String) {
        self.showsInlinedCalls = showsInlinedCalls
        self.usesFullPaths = usesFullPaths
        self.delimiter = delimiter
    }

    /// The text for what was not found in any image, or is no number: as it was typed.
    public func echo(_ input: String) -> String { ended(input) }

    /// The text for a place in an image of which no function is known.
    ///
    /// - Parameters:
    ///   - number: What was asked.
    ///   - distance: From the start of a function without a name, where that is known.
    public func unnamed(_ number: UInt64, in image: String, distance: UInt64?) -> String {
        let distanceText = distance.map { " + \($0)" } ?? ""
        if showsInlinedCalls, distance == nil { return ended("") }
        return ended("\(Self.address(number)) (in \(shown(image)))\(distanceText)")
    }

    /// The text for a place in functions.
    ///
    /// - Parameters:
    ///   - functions: Innermost first, at least one.
    ///   - distance: From the start of the last function.
    public func named(
        _ functions: [AtosFunction], in image: String, distance: UInt64?
    ) -> String {
        let lines = (showsInlinedCalls ? functions[...] : functions.suffix(1)).map {
            line(of: $0, in: image, distance: distance)
        }
        return ended(lines.joined(separator: "\n"))
    }

    private func line(of function: AtosFunction, in image: String, distance: UInt64?) -> String {
        let place =
            switch function.place {
            case .file(let file, let line):
                "(\(shown(usesFullPaths ? file.path : file.name)):\(line))"
            case .compilerGenerated: "(<compiler-generated>:0)"
            case .unknown: "+ \(distance ?? 0)"
            }
        return "\(shown(function.name)) (in \(shown(image))) \(place)"
    }

    private func ended(_ text: String) -> String {
        showsInlinedCalls ? "\(text)\n\(delimiter)\n" : "\(text)\n"
    }

    /// With 8 digits, or 16 for what needs more.
    private static func address(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        let width = digits.utf8.count > 8 ? 16 : 8
        return "0x" + String(repeating: "0", count: width - digits.utf8.count) + digits
    }
}

/// A function as `atos` names it.
public struct AtosFunction: Hashable, Sendable {
    public enum Place: Hashable, Sendable {
        /// Line 0 is the debug information's own: code that belongs to no line.
        case file(SourceFile, line: UInt32)
        /// Code that nobody wrote.
        case compilerGenerated
        /// Only the function is known.
        case unknown
    }

    public var name: String
    public var place: Place

    public init(name: String, place: Place) {
        self.name = name
        self.place = place
    }

    /// - Parameters:
    ///   - names: All that `function` may have the number of.
    ///   - files: Likewise.
    /// - Returns: `nil` for a function without a name.
    public init?(_ function: AnsweredFunction, names: [FunctionName], files: [SourceFile]) {
        guard let name = function.name, names.indices.contains(name) else { return nil }
        self.name = names[name].shown
        if !function.isWritten {
            place = .compilerGenerated
        } else if let file = function.file, files.indices.contains(file) {
            place = .file(files[file], line: function.line)
        } else {
            place = .unknown
        }
    }
}
