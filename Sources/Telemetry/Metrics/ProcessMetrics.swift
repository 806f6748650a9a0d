import Foundation
import Glibc

/// The resource use of this process, under the names that Prometheus clients share.
struct ProcessMetrics: Hashable {
    var residentBytes: Double
    var virtualBytes: Double
    /// CPU time of all threads in user and kernel mode, in seconds.
    var cpuSeconds: Double
    var openDescriptors: Int
    var descriptorLimit: Int
    /// The start time, in seconds since 1970.
    var startSeconds: Double

    /// Returns the current values, or `nil` on a system without `/proc`.
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
            // Reading the directory opens one.
            openDescriptors: max(descriptors.count - 1, 0),
            descriptorLimit: sysconf(Int32(_SC_OPEN_MAX)),
            startSeconds: bootSeconds + memory.startTicks / Double(sysconf(Int32(_SC_CLK_TCK))))
    }

    func write(to writer: inout ExpositionWriter) {
        let metrics: [(name: String, MetricKind, description: String, value: Double)] = [
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
        for (name, kind, description, value) in metrics {
            writer.begin(name, kind, description: description)
            writer.sample(name, value: value)
        }
    }

    private static func cpuSeconds() -> Double {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// Returns the boot time of the machine, from a line `btime 1700000000` in `/proc/stat`.
    static func bootSeconds(_ text: String) -> Double? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("btime ") }
        return line.flatMap { Double($0.dropFirst("btime ".count)) }
    }
}

/// The relevant fields of `/proc/self/stat`; see proc(5).
struct ProcessStatus: Hashable {
    var startTicks: Double
    var virtualBytes: Double
    var residentPages: Double

    init?(_ text: String) {
        // The second field is the program's name in parentheses, which may itself contain spaces
        // and parentheses. The numbered fields start after it.
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
