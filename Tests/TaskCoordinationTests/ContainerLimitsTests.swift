import TestSupport
import Testing

@testable import TaskCoordination

@Suite("Limits of a container")
struct ContainerLimitsTests {
    private func limits(_ files: [String: String]) throws -> ContainerLimits {
        let folder = try TestFolder()
        for (path, text) in files { try folder.write(text, to: path) }
        return ContainerLimits(root: folder.path)
    }

    @Test("a container sees its own control group at the root")
    func ownRoot() throws {
        let limits = try limits([
            "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "150000 100000\n",
            "sys/fs/cgroup/memory.max": "1073741824\n",
        ])
        #expect(limits.processorQuota == 1.5)
        #expect(limits.processorCount(among: 8) == 2)
        #expect(limits.memoryBytes == 1 << 30)
    }

    @Test("the smallest limit of a group and those above it counts")
    func groupsAbove() throws {
        let limits = try limits([
            "proc/self/cgroup": "0::/system.slice/symbolist.service\n",
            "sys/fs/cgroup/system.slice/cpu.max": "200000 100000\n",
            "sys/fs/cgroup/system.slice/symbolist.service/cpu.max": "max 100000\n",
            "sys/fs/cgroup/system.slice/memory.max": "max\n",
            "sys/fs/cgroup/system.slice/symbolist.service/memory.max": "4096\n",
        ])
        #expect(limits.processorQuota == 2)
        #expect(limits.memoryBytes == 4_096)
    }

    @Test("version 1 of control groups is read as well")
    func versionOne() throws {
        let limits = try limits([
            "proc/self/cgroup": "4:memory:/docker/1f\n3:cpu,cpuacct:/docker/1f\n0::/\n",
            "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "50000\n",
            "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "536870912\n",
        ])
        #expect(limits.processorQuota == 0.5)
        #expect(limits.processorCount(among: 8) == 1)
        #expect(limits.memoryBytes == 512 << 20)
    }

    @Test("processors to which the process is restricted count")
    func affinity() throws {
        let limits = try limits(["proc/self/status": "Threads:\t1\nCpus_allowed:\t0,0000000e\n"])
        #expect(limits.processorCount(among: 8) == 3)
    }

    @Test("without a limit, or without control groups, there is none")
    func unlimited() throws {
        let unlimited = try limits([
            "proc/self/cgroup": "4:memory:/\n3:cpu:/\n",
            "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
            "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        ])
        for limits in [unlimited, try limits([:])] {
            #expect(limits.processorQuota == nil)
            #expect(limits.memoryBytes == nil)
        }
        #expect(ContainerLimits.processorCount >= 1)
    }
}
