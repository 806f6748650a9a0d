// An async function is cut at each `await` into functions of its own. The crash is after the second
// one, so the code that stops is a resume function, and its caller is the concurrency runtime.

@inline(never)
func reading(of sensor: Int) async -> Int {
    sensor &* 3
}

@inline(never)
func nightWatch(_ sensor: Int) async -> Int {
    let first = await reading(of: sensor)
    let second = await reading(of: first)
    return share(first, among: second &- 9 &* sensor)  // @line watch.share
}

/// What the emulator starts as a task of its own.
public func startNightWatch() async {
    let result = await nightWatch(5)
    _ = result
}
