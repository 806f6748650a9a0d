import Foundation

/// Returns a number that `Scripts/soak` sets for the long form of a test.
func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
}
