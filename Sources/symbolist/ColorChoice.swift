import ArgumentParser
import FoundationEssentials

/// Whether results are styled for a terminal.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
    case always, auto, never

    /// - Parameter environment: `NO_COLOR`, with any value but an empty one, turns colour off.
    func isOn(environment: [String: String] = ProcessInfo.processInfo.environment) -> Bool {
        switch self {
        case .always: true
        case .never: false
        case .auto:
            (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
                && Console.showsResults
        }
    }
}
