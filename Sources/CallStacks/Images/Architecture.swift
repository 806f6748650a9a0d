/// The instruction set of an image, in the numbering of its container.
///
/// A Mach-O slice keeps its `cputype` and `cpusubtype` (without capability bits). An ELF file has
/// `0x80000000 + e_machine` and 0, or 1 for 32-bit RISC-V. No Mach-O file can have these.
public struct Architecture: Hashable, Sendable {
    public let cpuType: UInt32
    public let cpuSubtype: UInt32

    public init(cpuType: UInt32, cpuSubtype: UInt32) {
        self.cpuType = cpuType
        self.cpuSubtype = cpuSubtype & 0x00ff_ffff
    }

    /// - Parameter is64Bit: Whether the file has the 64-bit class. RISC-V has one number for both.
    public init(elfMachine: UInt16, is64Bit: Bool = true) {
        cpuType = Self.elfFlag | UInt32(elfMachine)
        cpuSubtype = elfMachine == Self.riscV && !is64Bit ? 1 : 0
    }

    /// Creates the architecture with the given ``name``, or returns `nil` if there is none.
    public init?(name: String) {
        guard let row = Self.names.first(where: { $0.name == name }) else { return nil }
        self = row.architecture
    }

    /// The name that command-line tools use, or the numbers if the architecture has no name.
    public var name: String {
        if let row = Self.names.first(where: { $0.architecture == self }) { return row.name }
        if let family = Self.names.first(where: { $0.architecture.cpuType == cpuType }) {
            return "\(family.name)-\(cpuSubtype)"
        }
        return "cpu-\(cpuType & ~Self.elfFlag)-\(cpuSubtype)"
    }

    /// Whether bit 0 of a code address may mark the Thumb instruction set.
    public var marksThumbInAddresses: Bool { self.cpuType == 12 || self == Self.elfARM }

    /// Whether every instruction starts at a multiple of 4.
    public var alignsInstructionsTo4: Bool {
        [Self.arm64.cpuType, Self.arm64On32.cpuType, Self.elfARM64.cpuType].contains(cpuType)
    }

    public static let arm64 = Self(cpuType: 0x0100_000c, cpuSubtype: 0)
    public static let arm64e = Self(cpuType: 0x0100_000c, cpuSubtype: 2)
    public static let arm64On32 = Self(cpuType: 0x0200_000c, cpuSubtype: 1)
    public static let x86On64 = Self(cpuType: 0x0100_0007, cpuSubtype: 3)
    public static let armv7 = Self(cpuType: 12, cpuSubtype: 9)
    public static let elfARM = Self(elfMachine: 40)
    public static let elfARM64 = Self(elfMachine: 183)
    public static let elfX86On64 = Self(elfMachine: 62)

    private static let elfFlag: UInt32 = 0x8000_0000
    private static let riscV: UInt16 = 243

    private static let names: [(name: String, architecture: Self)] = [
        ("arm64", arm64), ("arm64v8", Self(cpuType: 0x0100_000c, cpuSubtype: 1)),
        ("arm64e", arm64e), ("arm64e.x1", Self(cpuType: 0x0100_000c, cpuSubtype: 12)),
        ("arm64_32", arm64On32),
        ("x86_64", x86On64), ("x86_64h", Self(cpuType: 0x0100_0007, cpuSubtype: 8)),
        ("i386", Self(cpuType: 7, cpuSubtype: 3)),
        ("armv6", Self(cpuType: 12, cpuSubtype: 6)), ("armv7", armv7),
        ("armv7s", Self(cpuType: 12, cpuSubtype: 11)),
        ("armv7k", Self(cpuType: 12, cpuSubtype: 12)),
        ("aarch64", elfARM64), ("arm", elfARM), ("x86_64", elfX86On64),
        ("i686", Self(elfMachine: 3)),
        ("riscv64", Self(elfMachine: riscV)), ("riscv32", Self(elfMachine: riscV, is64Bit: false)),
        ("ppc64", Self(elfMachine: 21)), ("s390x", Self(elfMachine: 22)),
        ("mips", Self(elfMachine: 8)),
    ]
}
