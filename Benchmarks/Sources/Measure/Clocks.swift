import Glibc

/// Returns the CPU time that `work` takes in all threads of this process, in nanoseconds, and its
/// result. Child processes are not included.
func processorNanoseconds<Result>(
    _ work: () throws -> Result
) rethrows -> (nanoseconds: Double, result: Result) {
    try nanoseconds(of: CLOCK_PROCESS_CPUTIME_ID, work)
}

/// Returns the elapsed time of `work`, including waits for the disk, and its result.
func elapsedNanoseconds<Result>(
    _ work: () throws -> Result
) rethrows -> (nanoseconds: Double, result: Result) {
    try nanoseconds(of: CLOCK_MONOTONIC, work)
}

private func nanoseconds<Result>(
    of clock: clockid_t, _ work: () throws -> Result
) rethrows -> (nanoseconds: Double, result: Result) {
    let start = reading(of: clock)
    let result = try work()
    return (reading(of: clock) - start, result)
}

private func reading(of clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}
