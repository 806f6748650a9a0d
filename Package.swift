// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .strictMemorySafety(),
]

/// A module of ours. What it may import is written in ARCHITECTURE.md and held by a test.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// The tests of a module, with what all tests share.
func tests(
    _ name: String, _ dependencies: [Target.Dependency] = [], hasGoldens: Bool = false
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"],
        exclude: hasGoldens ? ["Goldens"] : [], swiftSettings: strict)
}

let package = Package(
    name: "symbolist",
    products: [
        .executable(name: "symbolist", targets: ["symbolist"]),
        // For the fuzzers, which are a package of their own: see Tests/Fuzz.
        .library(name: "FuzzTargets", targets: ["FuzzTargets"]),
        // For the benchmarks, which are one too: see Benchmarks.
        .library(
            name: "MeasuredModules",
            targets: [
                "SymbolStores", "Symbolication", "SymbolIndexes", "DebugFiles", "Dwarf",
                "Demangling", "MetricKitPayloads", "StackRendering", "ByteReading", "CallStacks",
            ]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ],
    targets: [
        // Ground
        module("CallStacks"),
        module("ByteReading"),
        module("JSONText"),
        // Formats
        .systemLibrary(name: "CLibDwarf", providers: [.apt(["libdwarf-dev"])]),
        .systemLibrary(name: "CLibElf", pkgConfig: "libelf", providers: [.apt(["libelf-dev"])]),
        .systemLibrary(
            name: "CLibDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .systemLibrary(name: "CLibZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        module("Decompression", ["ByteReading", "CLibDeflate", "CLibZstd"]),
        module("MachO", ["ByteReading", "CallStacks"]),
        module("ELF", ["ByteReading", "CallStacks", "CLibElf"]),
        module("Dwarf", ["ByteReading", "CallStacks", "CLibDwarf"]),
        // Answers
        module(
            "DebugFiles",
            ["MachO", "ELF", "Dwarf", "Decompression", "ByteReading", "CallStacks"]),
        module("SymbolIndexes", ["ByteReading", "CallStacks", "JSONText"]),
        .target(
            name: "CLLVMDemangle",
            cxxSettings: [.unsafeFlags(["-isystem", "/usr/lib/llvm-19/include"])],
            linkerSettings: [.linkedLibrary("stdc++")]),
        .target(name: "CSwiftDemangle"),
        module("Demangling", ["CLLVMDemangle", "CSwiftDemangle"]),
        // Use case
        module("Symbolication", ["SymbolIndexes", "Demangling", "CallStacks"]),
        // Adapters
        module(
            "SymbolStores",
            ["Symbolication", "SymbolIndexes", "DebugFiles", "ByteReading", "CallStacks"]),
        module("MetricKitPayloads", ["CallStacks", "JSONText"]),
        module("StackRendering", ["CallStacks", "JSONText"]),
        // Edge
        .executableTarget(
            name: "symbolist",
            dependencies: [
                "SymbolStores", "Symbolication", "SymbolIndexes", "DebugFiles", "Demangling",
                "MetricKitPayloads", "StackRendering", "JSONText", "CallStacks",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict),
        // Tests
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Symbolication", "SymbolIndexes", "DebugFiles", "Demangling", "MachO", "ELF",
                "Dwarf", "MetricKitPayloads", "StackRendering", "ByteReading",
                "CallStacks",
            ],
            path: "Tests/FuzzTargets", swiftSettings: strict),
        tests("FuzzReplayTests", ["FuzzTargets", "Dwarf", "CallStacks"]),
        tests("TidyTests"),
        .target(
            name: "PeerComparison",
            dependencies: [
                "SymbolStores", "SymbolIndexes", "DebugFiles", "ByteReading", "CallStacks",
                "TestSupport",
            ],
            path: "Tests/PeerComparison", swiftSettings: strict),
        // Behind Scripts/compare.
        .executableTarget(
            name: "compare",
            dependencies: [
                "PeerComparison", "SymbolStores", "DebugFiles", "CallStacks",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Compare", swiftSettings: strict),
        tests(
            "DifferentialTests",
            ["PeerComparison", "SymbolStores", "SymbolIndexes", "DebugFiles", "CallStacks"]),
        tests(
            "FixtureTests",
            ["SymbolStores", "Symbolication", "MetricKitPayloads", "DebugFiles", "CallStacks"]),
        tests("DemanglingTests", ["Demangling", "CSwiftDemangle"]),
        tests("CallStacksTests", ["CallStacks"]),
        tests("ByteReadingTests", ["ByteReading"]),
        tests("JSONTextTests", ["JSONText"]),
        tests("DecompressionTests", ["Decompression", "ByteReading"]),
        tests("MachOTests", ["MachO", "ByteReading", "CallStacks"]),
        tests("ELFTests", ["ELF", "ByteReading", "CallStacks"]),
        tests(
            "DwarfTests", ["Dwarf", "MachO", "ELF", "ByteReading", "CallStacks"], hasGoldens: true),
        tests(
            "DebugFilesTests", ["DebugFiles", "Dwarf", "ByteReading", "CallStacks"],
            hasGoldens: true),
        tests(
            "SymbolIndexesTests", ["SymbolIndexes", "ByteReading", "CallStacks"], hasGoldens: true),
        tests(
            "SymbolicationTests",
            ["Symbolication", "SymbolIndexes", "Demangling", "ByteReading", "CallStacks"]),
        tests("MetricKitPayloadsTests", ["MetricKitPayloads", "JSONText", "CallStacks"]),
        tests(
            "StackRenderingTests", ["StackRendering", "CallStacks", "JSONText"], hasGoldens: true),
        tests(
            "SymbolStoresTests",
            ["SymbolStores", "Symbolication", "DebugFiles", "CallStacks"]),
        tests("CommandTests", ["symbolist"], hasGoldens: true),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
