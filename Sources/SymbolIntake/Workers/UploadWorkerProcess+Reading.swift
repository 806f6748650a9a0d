import Glibc

extension UploadWorkerProcess {
    /// Reads the worker's output until it ends or exceeds a limit.
    ///
    /// A worker that keeps running after it closed its pipes is killed. The status of one that has
    /// ended is kept.
    func read(
        _ output: UploadWorkerPipe, _ errorPipe: UploadWorkerPipe, _ handle: UploadWorkerHandle
    ) -> Report {
        var report = Report(ending: .cancelled)
        let reason = collect(output, errorPipe: errorPipe, report: &report)
        handle.kill()
        let ending = UploadWorkerTermination(status: handle.reap())
        report.ending = reason ?? (handle.isCancelled ? .cancelled : ending)
        return report
    }

    /// - Returns: The reason why the worker has to be killed, or `nil` if it closed its pipes.
    private func collect(
        _ output: UploadWorkerPipe, errorPipe: UploadWorkerPipe, report: inout Report
    ) -> UploadWorkerTermination? {
        let deadline = Self.now() + Int64(wallSecondsLimit) * 1_000
        var waits = [output, errorPipe].map {
            pollfd(fd: $0.readEnd, events: Int16(POLLIN), revents: 0)
        }
        while waits.contains(where: { $0.fd >= 0 }) {
            let left = deadline - Self.now()
            if left <= 0 { return .timedOut }
            let ready = unsafe poll(&waits, nfds_t(waits.count), Int32(clamping: left))
            if ready < 0, errno != EINTR { return .cancelled }
            guard ready > 0 else { continue }
            for index in waits.indices where waits[index].revents != 0 {
                let bytes = Self.piece(of: waits[index].fd)
                // poll ignores negative descriptors.
                if bytes.isEmpty { waits[index].fd = -1 }
                if index == 0 {
                    report.output += bytes
                } else {
                    let room = Self.errorBytesLimit - report.errorOutput.count
                    report.errorOutput += bytes.prefix(room)
                }
            }
            if report.output.count > outputBytesLimit { return .outputLimitExceeded }
        }
        return nil
    }

    /// Returns the next bytes of a readable pipe; empty at its end.
    private static func piece(of pipe: Int32) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { room, count in
            unsafe count = max(Glibc.read(pipe, room.baseAddress, room.count), 0)
        }
    }

    /// Returns the monotonic time in milliseconds.
    private static func now() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
