import ArgumentParser
import FoundationEssentials

/// The option that decides whether results are styled for a terminal.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
    case always, auto, never

    /// - Parameter environment: A non-empty `NO_COLOR` turns colour off for ``auto``.
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
