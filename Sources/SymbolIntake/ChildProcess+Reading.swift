import Glibc

extension ChildProcess {
    /// Reads what the child says until it ends, or is ended.
    ///
    /// Both pipes are closed by the child's end and by nothing that it does otherwise, so a child
    /// that closes them and goes on is killed too. One that has ended keeps its status.
    func read(_ output: ChildPipe, _ complaints: ChildPipe, _ handle: ChildHandle) -> Report {
        var report = Report(ending: .cancelled)
        let reason = collect(output, complaints, &report)
        handle.kill()
        let ending = ChildEnding(status: handle.reap())
        report.ending = reason ?? (handle.isCancelled ? .cancelled : ending)
        return report
    }

    /// - Returns: Why the child has to be ended, or `nil` when it has closed its pipes.
    private func collect(
        _ output: ChildPipe, _ complaints: ChildPipe, _ report: inout Report
    ) -> ChildEnding? {
        let deadline = Self.now() + Int64(wallSecondsLimit) * 1_000
        var waits = [output, complaints].map {
            pollfd(fd: $0.readEnd, events: Int16(POLLIN), revents: 0)
        }
        while waits.contains(where: { $0.fd >= 0 }) {
            let left = deadline - Self.now()
            if left <= 0 { return .late }
            let ready = unsafe poll(&waits, nfds_t(waits.count), Int32(clamping: left))
            if ready < 0, errno != EINTR { return .cancelled }
            guard ready > 0 else { continue }
            for index in waits.indices where waits[index].revents != 0 {
                let bytes = Self.piece(of: waits[index].fd)
                // A negative descriptor is one that poll leaves out.
                if bytes.isEmpty { waits[index].fd = -1 }
                if index == 0 {
                    report.output += bytes
                } else {
                    let room = Self.complaintBytesLimit - report.complaint.count
                    report.complaint += bytes.prefix(room)
                }
            }
            if report.output.count > outputBytesLimit { return .talkative }
        }
        return nil
    }

    /// The next bytes of a pipe that has some; none at its end.
    private static func piece(of pipe: Int32) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { room, count in
            unsafe count = max(Glibc.read(pipe, room.baseAddress, room.count), 0)
        }
    }

    /// In milliseconds.
    private static func now() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
