import Synchronization

/// Lets writes in while what they hold together stays within a bound. Others wait, in the order in
/// which they came.
final class WriteAdmission: Sendable {
    private struct State {
        var bytes = 0
        var count = 0
        var waiting: [(bytes: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())
    private let bytesLimit: Int
    private let countLimit: Int

    init(bytesLimit: Int, countLimit: Int) {
        self.bytesLimit = bytesLimit
        self.countLimit = countLimit
    }

    /// Returns when there is room. A write that is larger than the bound waits until it is alone.
    ///
    /// It waits even if its task is cancelled: writes are short, and the caller of a write that was
    /// given up could not know whether it was kept.
    func enter(bytes: Int) async {
        await withCheckedContinuation { continuation in
            let isIn = state.withLock { state in
                guard state.waiting.isEmpty, hasRoom(for: bytes, in: state) else {
                    state.waiting.append((bytes, continuation))
                    return false
                }
                state.bytes += bytes
                state.count += 1
                return true
            }
            if isIn { continuation.resume() }
        }
    }

    func leave(bytes: Int) {
        let admitted = state.withLock { state in
            state.bytes -= bytes
            state.count -= 1
            var admitted: [CheckedContinuation<Void, Never>] = []
            while let next = state.waiting.first, hasRoom(for: next.bytes, in: state) {
                state.bytes += next.bytes
                state.count += 1
                admitted.append(next.continuation)
                state.waiting.removeFirst()
            }
            return admitted
        }
        for continuation in admitted { continuation.resume() }
    }

    private func hasRoom(for bytes: Int, in state: State) -> Bool {
        state.count == 0 || state.count < countLimit && state.bytes + bytes <= bytesLimit
    }
}
