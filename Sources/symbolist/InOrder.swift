/// Works on several inputs at once.
enum InOrder {
    /// How many results may wait for one before them, for each input that is worked on.
    private static let waitingLimit = 4

    /// Calls `take` with the result of each input, in the order of the inputs.
    ///
    /// - Parameters:
    ///   - width: How many inputs are worked on at once. Few of them run far ahead of a slow one, so
    ///     that memory stays bounded.
    static func forEach<Input: Sendable, Result: Sendable>(
        _ inputs: [Input], width: Int, _ work: @escaping @Sendable (Input) async -> Result,
        take: (Result) -> Void
    ) async {
        await withTaskGroup(of: (place: Int, result: Result).self) { group in
            var (started, taken) = (0, 0)
            var waiting: [Int: Result] = [:]
            while taken < inputs.count {
                while started < inputs.count, started - taken - waiting.count < width,
                    started - taken < width * waitingLimit
                {
                    let (place, input) = (started, inputs[started])
                    group.addTask { (place, await work(input)) }
                    started += 1
                }
                guard let next = await group.next() else { return }
                waiting[next.place] = next.result
                while let result = waiting.removeValue(forKey: taken) {
                    take(result)
                    taken += 1
                }
            }
        }
    }
}
