import Foundation
import Glibc
import Synchronization

/// A line at the end of the terminal that shows the progress of a run that takes more than a
/// second. It is removed before anything else is written.
final class ProgressLine: Sendable {
    private struct Work {
        let number: Int
        var text: String
        let start: ContinuousClock.Instant
    }

    private struct State {
        var isOn = false
        var works: [Work] = []
        var lastNumber = 0
        /// The number of finished inputs and of all inputs.
        var inputs: (done: Int, total: Int)?
        var start = ContinuousClock.now
        var isShown = false
        var isTicking = false
    }

    private static let patience = Duration.seconds(1)
    /// The time between two updates, in seconds.
    private static let period = 0.25
    /// The maximum length in characters, which fits on one line of any terminal.
    private static let width = 78

    private let state = Mutex(State())

    /// Whether standard error is a terminal that can show progress.
    static var isPossible: Bool {
        let environment = ProcessInfo.processInfo.environment
        return isatty(STDERR_FILENO) == 1 && environment["CI"] == nil
            && environment["TERM"] != "dumb"
    }

    /// Turns the line on if ``isPossible``.
    func turnOn() {
        guard Self.isPossible else { return }
        state.withLock { $0.isOn = true }
    }

    /// Runs a closure, and shows the text while it runs.
    func during<Result>(_ text: String, _ work: () throws -> Result) rethrows -> Result {
        let number = begin(text)
        defer { end(number) }
        return try work()
    }

    /// - Returns: The argument for ``end(_:)``.
    func begin(_ text: String) -> Int {
        let (number, ticks) = state.withLock { state in
            state.lastNumber += 1
            guard state.isOn else { return (state.lastNumber, false) }
            state.works.append(Work(number: state.lastNumber, text: text, start: .now))
            return (state.lastNumber, Self.startsTicking(&state))
        }
        if ticks { tick() }
        return number
    }

    /// Replaces the text of work in progress.
    ///
    /// - Parameter number: The result of ``begin(_:)``.
    func update(_ number: Int, _ text: String) {
        state.withLock { state in
            guard let index = state.works.firstIndex(where: { $0.number == number }) else { return }
            state.works[index].text = text
        }
    }

    func end(_ number: Int) {
        state.withLock { $0.works.removeAll { $0.number == number } }
    }

    /// Shows the number of finished inputs, or hides it for `nil`.
    func show(inputs: (done: Int, total: Int)?) {
        let ticks = state.withLock { state in
            guard state.isOn else { return false }
            state.inputs = inputs
            return inputs != nil && Self.startsTicking(&state)
        }
        if ticks { tick() }
    }

    /// Removes the line, before something else is written.
    func clear() {
        state.withLock { Self.clear(&$0) }
    }

    private static func startsTicking(_ state: inout State) -> Bool {
        if state.isTicking { return false }
        state.isTicking = true
        return true
    }

    /// Draws the line on a dedicated thread, because tasks may keep all threads of the pool busy.
    private func tick() {
        Thread.detachNewThread { [self] in
            repeat {
                Thread.sleep(forTimeInterval: Self.period)
            } while state.withLock { Self.draw(&$0) }
        }
    }

    /// - Returns: Whether there is more to show.
    private static func draw(_ state: inout State) -> Bool {
        guard let text = text(of: state) else {
            clear(&state)
            state.isTicking = !state.works.isEmpty || state.inputs != nil
            return state.isTicking
        }
        clear(&state)
        state.isShown = true
        write(String(Console.oneLine(text).prefix(width)))
        return true
    }

    /// `12 of 340 files; indexing Orchard: 3 s`
    private static func text(of state: State) -> String? {
        let now = ContinuousClock.now
        var parts: [String] = []
        if let inputs = state.inputs, now - state.start > patience {
            parts.append("\(inputs.done) of \(inputs.total) files")
        }
        if let work = state.works.first, now - work.start > patience {
            parts.append("\(work.text): \((now - work.start).components.seconds) s")
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private static func clear(_ state: inout State) {
        guard state.isShown else { return }
        state.isShown = false
        erase()
    }

    /// Removes what is on the terminal's current line.
    static func erase() { write("\r\u{1b}[K") }

    /// Writes to standard error and ignores failures, because progress is not a result.
    static func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
