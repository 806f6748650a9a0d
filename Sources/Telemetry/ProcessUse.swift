import Foundation
import Glibc

/// What this process takes from the machine, under the names that every Prometheus client uses.
struct ProcessUse: Hashable {
    var residentBytes: Double
    var virtualBytes: Double
    /// Seconds of all its threads, in the program and in the kernel.
    var cpuSeconds: Double
    var openDescriptors: Int
    var descriptorLimit: Int
    /// Seconds since 1970.
    var startSeconds: Double

    /// `nil` where the system has no `/proc`.
    static func now() -> Self? {
        guard
            let status = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
            let boot = try? String(contentsOfFile: "/proc/stat", encoding: .utf8),
            let memory = ProcessStatus(status), let bootSeconds = Self.bootSeconds(boot),
            let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        else { return nil }
        return Self(
            residentBytes: memory.residentPages * Double(sysconf(Int32(_SC_PAGESIZE))),
            virtualBytes: memory.virtualBytes,
            cpuSeconds: cpuSeconds(),
            // The listing itself holds one.
            openDescriptors: max(descriptors.count - 1, 0),
            descriptorLimit: sysconf(Int32(_SC_OPEN_MAX)),
            startSeconds: bootSeconds + memory.startTicks / Double(sysconf(Int32(_SC_CLK_TCK))))
    }

    func write(to text: inout ExpositionText) {
        let metrics: [(name: String, MetricKind, meaning: String, value: Double)] = [
            (
                "process_cpu_seconds_total", .counter,
                "Processor time of the process in seconds.", cpuSeconds
            ),
            (
                "process_max_fds", .gauge,
                "Most file descriptors that the process may have open.", Double(descriptorLimit)
            ),
            (
                "process_open_fds", .gauge,
                "File descriptors that the process has open.", Double(openDescriptors)
            ),
            (
                "process_resident_memory_bytes", .gauge,
                "Memory of the process that is in use, in bytes.", residentBytes
            ),
            (
                "process_start_time_seconds", .gauge,
                "When the process was started, in seconds since 1970.", startSeconds
            ),
            (
                "process_virtual_memory_bytes", .gauge,
                "Address space of the process in bytes, mapped files included.", virtualBytes
            ),
        ]
        for (name, kind, meaning, value) in metrics {
            text.begin(name, kind, meaning: meaning)
            text.sample(name, value)
        }
    }

    private static func cpuSeconds() -> Double {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// When the machine was started: the line `btime 1700000000` of `/proc/stat`.
    static func bootSeconds(_ text: String) -> Double? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("btime ") }
        return line.flatMap { Double($0.dropFirst("btime ".count)) }
    }
}

/// The fields of `/proc/self/stat` that matter here; see proc(5).
struct ProcessStatus: Hashable {
    var startTicks: Double
    var virtualBytes: Double
    var residentPages: Double

    init?(_ text: String) {
        // The second field is the program's name in parentheses, which may hold spaces and
        // parentheses; the third is the first that is looked at by number.
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[end...].dropFirst().split(separator: " ").map { Double($0) }
        guard fields.count > 21, let start = fields[19], let virtual = fields[20],
            let resident = fields[21]
        else { return nil }
        startTicks = start
        virtualBytes = virtual
        residentPages = resident
    }
}
