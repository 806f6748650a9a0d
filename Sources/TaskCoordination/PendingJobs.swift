/// Jobs that accumulate while earlier ones run, so that many of them share one run.
public struct PendingJobs<Job> {
    private var jobs: [(job: Job, byteCount: Int)] = []
    private var isRunning = false
    private let countLimit: Int
    private let bytesLimit: Int

    /// - Parameters:
    ///   - countLimit: The maximum number of jobs that share a run.
    ///   - bytesLimit: The maximum memory that they need. A single larger job has a run of its own.
    public init(countLimit: Int, bytesLimit: Int) {
        self.countLimit = countLimit
        self.bytesLimit = bytesLimit
    }

    /// Adds a job.
    ///
    /// - Returns: Whether the caller has to run the jobs, because no run is under way.
    public mutating func add(_ job: Job, byteCount: Int) -> Bool {
        jobs.append((job, byteCount))
        defer { isRunning = true }
        return !isRunning
    }

    /// Returns the jobs of the next run, or `nil` if none wait; the next job then has to be run by
    /// the caller that adds it.
    public mutating func next() -> [Job]? {
        var count = 0
        var bytes = 0
        while count < min(jobs.count, countLimit) {
            bytes += jobs[count].byteCount
            guard count == 0 || bytes <= bytesLimit else { break }
            count += 1
        }
        guard count > 0 else {
            isRunning = false
            return nil
        }
        defer { jobs.removeFirst(count) }
        // `map` is not specialized in generic code, and would allocate memory for each job.
        var run: [Job] = []
        run.reserveCapacity(count)
        for index in 0..<count { run.append(jobs[index].job) }
        return run
    }
}
