import Logging
import Synchronization

/// Says only what is wrong with a test itself.
var quietLogger: Logger {
    var logger = Logger(label: "tests")
    logger.logLevel = .critical
    return logger
}

/// Values that come from several tasks.
final class Collected<Value: Sendable>: Sendable {
    private let values = Mutex<[Value]>([])

    func add(_ value: Value) { values.withLock { $0.append(value) } }

    var all: [Value] { values.withLock { $0 } }
}

/// Holds everybody back until it is opened.
actor Gate {
    private var isOpen = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    func pass() async {
        guard !isOpen else { return }
        await withCheckedContinuation { waiters.append($0) }
    }

    func open() {
        isOpen = true
        for waiter in waiters { waiter.resume() }
        waiters = []
    }
}
