public import CallStacks
import StackRendering

/// The output of `atos` for a number: a line, or with inlined calls several lines and a delimiter.
///
///     file1_func2(int) (in main) (file1.cpp:13)
///     file1_func1(int) (in main) (file1.cpp:9)
///
/// Scripts parse these lines, so they match Apple's tool exactly.
public struct AtosText: Sendable {
    private let showsInlinedCalls: Bool
    private let usesFullPaths: Bool
    private let delimiter: String

    /// - Parameters:
    ///   - showsInlinedCalls: Whether every inlined call has a line, rather than only the function
    ///     that contains them all, with the line of its call.
    ///   - delimiter: The line after each group.
    public init(showsInlinedCalls: Bool, usesFullPaths: Bool, delimiter: String) {
        self.showsInlinedCalls = showsInlinedCalls
        self.usesFullPaths = usesFullPaths
        self.delimiter = delimiter
    }

    /// Returns the bytes for a number that is invalid or outside the image: the input, unchanged,
    /// even if it is not UTF-8.
    public func echo(_ input: some Sequence<UInt8>) -> [UInt8] {
        Array(input) + ended("").utf8
    }

    /// Returns the text for a number in the image without a known function.
    ///
    /// - Parameters:
    ///   - number: The input.
    ///   - distance: The distance from the start of a nameless function, or `nil` if it is unknown.
    public func unnamed(_ number: UInt64, in image: String, distance: UInt64?) -> String {
        let distanceText = distance.map { " + \($0)" } ?? ""
        if showsInlinedCalls, distance == nil { return ended("") }
        return ended("\(Self.address(number)) (in \(shown(image)))\(distanceText)")
    }

    /// Returns the text for a number in one or more functions.
    ///
    /// - Parameters:
    ///   - functions: The functions, innermost first, at least one.
    ///   - distance: The distance from the start of the last function.
    public func named(
        _ functions: [AtosFunction], in image: String, distance: UInt64?
    ) -> String {
        let inlined = showsInlinedCalls ? functions.dropLast() : []
        let lines =
            inlined.map { line(of: $0, in: image, distance: nil) }
            + functions.suffix(1).map { line(of: $0, in: image, distance: distance ?? 0) }
        return ended(lines.joined(separator: "\n"))
    }

    /// - Parameter distance: The distance from the start of the function, or `nil` for an inlined
    ///   call, whose code may have several starts.
    private func line(of function: AtosFunction, in image: String, distance: UInt64?) -> String {
        let location =
            switch function.location {
            case .file(let file, let line):
                " (\(shown(usesFullPaths ? file.path : file.name)):\(line))"
            case .compilerGenerated: " (\(SourceFile.compilerGeneratedPath):0)"
            case .unknown: distance.map { " + \($0)" } ?? ""
            }
        return "\(shown(function.name)) (in \(shown(image)))\(location)"
    }

    private func ended(_ text: String) -> String {
        showsInlinedCalls ? "\(text)\n\(delimiter)\n" : "\(text)\n"
    }

    /// Formats an address with 8 digits, or with 16 if it needs more.
    private static func address(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        let width = digits.utf8.count > 8 ? 16 : 8
        return "0x" + String(repeating: "0", count: width - digits.utf8.count) + digits
    }
}

/// A function in the form that `atos` prints.
public struct AtosFunction: Hashable, Sendable {
    public enum Location: Hashable, Sendable {
        /// A line of a file. Line 0 comes from the debug information and means that the code has no
        /// line.
        case file(SourceFile, line: UInt32)
        /// Compiler-generated code.
        case compilerGenerated
        /// Only the function is known.
        case unknown
    }

    public var name: String
    public var location: Location

    public init(name: String, location: Location) {
        self.name = name
        self.location = location
    }

    /// - Parameters:
    ///   - names: The names that `function` refers to.
    ///   - files: The files that `function` refers to.
    ///
    /// A function without a name is `??`.
    public init(_ function: ResolvedFunction, names: [FunctionName], files: [SourceFile]) {
        name = function.name.flatMap { names.indices.contains($0) ? names[$0].shown : nil } ?? "??"
        if !function.isInSourceFile {
            location = .compilerGenerated
        } else if let file = function.file, files.indices.contains(file) {
            location = .file(files[file], line: function.line)
        } else {
            location = .unknown
        }
    }
}
