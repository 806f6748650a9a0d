// swift-tools-version: 6.2
import PackageDescription

// Coverage-guided fuzzers, a program for each reader; `Scripts/fuzz` builds and runs them. They are
// a separate package because libFuzzer contains the program's `main`, and has to instrument every
// module: `--sanitize=fuzzer` applies to a whole build. Packages in folders of the same name are
// treated as one, so the folder of the project must not be called `fuzz`.

/// The fuzzer of one reader.
func fuzzer(_ name: String) -> Target {
    .executableTarget(name: name, dependencies: ["FuzzDriver"])
}

let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "symbolist", path: "../..")],
    targets: [
        .target(
            name: "FuzzDriver",
            dependencies: [.product(name: "FuzzTargets", package: "symbolist")],
            swiftSettings: [.enableUpcomingFeature("InternalImportsByDefault")]),
        fuzzer("MachOFuzz"),
        fuzzer("SharedCacheFuzz"),
        fuzzer("ELFFuzz"),
        fuzzer("DebugFileFuzz"),
        fuzzer("DwarfFuzz"),
        fuzzer("ReadersFuzz"),
        fuzzer("IndexFuzz"),
        fuzzer("TreeFuzz"),
        fuzzer("CrashFileFuzz"),
        fuzzer("NameFuzz"),
        fuzzer("RequestFuzz"),
    ],
    swiftLanguageModes: [.v6]
)
