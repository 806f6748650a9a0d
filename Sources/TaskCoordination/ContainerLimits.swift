import Glibc

/// The CPU time and the memory that the control group of the process, usually that of a container,
/// allows it to use. The system itself reports those of the whole machine.
public struct ContainerLimits: Hashable, Sendable {
    /// The limits of this process, read once.
    public static let current = Self(root: "")

    /// The number of processors that the process can use at once, at least 1. A part of a processor
    /// counts as a whole one.
    public static let processorCount = current.processorCount(
        among: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    /// The number of processors to which the process is restricted, or `nil` if it is unknown.
    private let allowedProcessorCount: Int?
    /// The number of processors whose whole time may be used, or `nil` if there is no limit.
    public let processorQuota: Double?
    /// The memory limit in bytes, or `nil` if there is none.
    public let memoryBytes: Int64?

    /// - Parameter root: The folder that contains `proc` and `sys`, without a slash at its end.
    init(root: String) {
        allowedProcessorCount = Self.allowedProcessorCount(
            SystemFile.content("\(root)/proc/self/status"))
        let files = ControlGroupFiles(root: root)
        let unified = files.unified("cpu.max").compactMap(Self.processors)
        let separate = zip(
            files.separate("cpu", "cpu.cfs_quota_us"), files.separate("cpu", "cpu.cfs_period_us")
        ).compactMap { Self.processors("\($0) \($1)") }
        processorQuota = (unified + separate).min()
        let memory =
            files.unified("memory.max") + files.separate("memory", "memory.limit_in_bytes")
        memoryBytes = memory.compactMap(Self.bytes).min()
    }

    func processorCount(among count: Int) -> Int {
        let quota = processorQuota.map { Int($0.rounded(.up)) }
        return max([count, allowedProcessorCount, quota].compactMap(\.self).min() ?? 1, 1)
    }

    /// Returns the number of bits in the mask of a line such as `Cpus_allowed:\t00000000,0000000f`.
    private static func allowedProcessorCount(_ status: String) -> Int? {
        let line = status.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }
        let digits = line?.drop { $0 != ":" }.compactMap(\.hexDigitValue)
        return digits?.reduce(0) { $0 + $1.nonzeroBitCount }
    }

    /// Returns the processors of a quota and a period in microseconds, such as `150000 100000`, or
    /// `nil` for none: `max 100000` in version 2 of control groups, and `-1 100000` in version 1.
    private static func processors(_ text: String) -> Double? {
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 2, let quota = Double(words[0]), let period = Double(words[1]),
            quota > 0, period > 0
        else { return nil }
        return quota / period
    }

    /// Returns `nil` for `max`, and for the enormous number that means no limit in version 1.
    private static func bytes(_ text: String) -> Int64? {
        let bytes = text.split(whereSeparator: \.isWhitespace).first.flatMap { Int64($0) }
        return bytes.flatMap { (1...(1 << 60)).contains($0) ? $0 : nil }
    }
}

/// The files of the process's control groups.
private struct ControlGroupFiles {
    private let root: String
    /// The fields of each line: a number, the controllers, and the path of the group.
    private let groups: [[Substring]]

    init(root: String) {
        self.root = root
        groups = SystemFile.content("\(root)/proc/self/cgroup").split(separator: "\n").map {
            $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        }.filter { $0.count == 3 }
    }

    /// Returns the contents of a file in the group and all groups above it, in version 2 of control
    /// groups, which has one tree for all controllers.
    func unified(_ file: String) -> [String] {
        contents(file, below: "\(root)/sys/fs/cgroup", group: groups.first { $0[1].isEmpty }?[2])
    }

    /// Returns the same in version 1, where each controller has a tree.
    func separate(_ controller: String, _ file: String) -> [String] {
        let group = groups.first { $0[1].split(separator: ",").contains(Substring(controller)) }
        return contents(file, below: "\(root)/sys/fs/cgroup/\(controller)", group: group?[2])
    }

    /// Inside of a container, the path may be that outside, and the folder the group itself. So
    /// folders that do not exist are skipped.
    private func contents(_ file: String, below folder: String, group: Substring?) -> [String] {
        var folders = [folder]
        for part in (group ?? "").split(separator: "/") {
            folders.append("\(folders[folders.count - 1])/\(part)")
        }
        return folders.map { SystemFile.content("\($0)/\(file)") }.filter { !$0.isEmpty }
    }
}

private enum SystemFile {
    /// Returns nothing if the file cannot be read.
    static func content(_ path: String) -> String {
        guard let file = unsafe fopen(path, "re") else { return "" }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
