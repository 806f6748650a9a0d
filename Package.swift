// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .strictMemorySafety(),
]

/// A module of this project. Tests/TidyTests enforces the imports in ARCHITECTURE.md.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// A module that looks at each byte of its input. It is optimized in debug builds as well: without
/// that, a quarter of the time of all tests is spent on files of 64 MiB.
func scanningModule(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies,
        swiftSettings: strict + [.unsafeFlags(["-O"], .when(configuration: .debug))])
}

/// The tests of a module, with the support code of all tests.
func tests(
    _ name: String, _ dependencies: [Target.Dependency] = [], hasGoldens: Bool = false
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"],
        exclude: hasGoldens ? ["Goldens"] : [], swiftSettings: strict)
}

/// Options that reduce the start-up time of a released executable by two fifths: it exports no symbols
/// and has packed relocations.
let smallStart: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-use-ld=lld", "-Xlinker", "--no-export-dynamic", "-Xlinker", "-z", "-Xlinker",
            "pack-relative-relocs",
        ], .when(platforms: [.linux], configuration: .release))
]

/// The commit that `--version` shows, set by `Scripts/package`. What SwiftPM knows of Git is cached
/// with the manifest, and may be outdated.
let commit = Context.environment["SYMBOLIST_COMMIT"] ?? ""

let package = Package(
    name: "symbolist",
    products: [
        .executable(name: "symbolist", targets: ["symbolist"]),
        // For the fuzzers, a separate package in Tests/Fuzz.
        .library(name: "FuzzTargets", targets: ["FuzzTargets"]),
        // For the benchmarks, a separate package in Benchmarks.
        .library(
            name: "MeasuredModules",
            targets: [
                "SymbolStores", "Symbolication", "SymbolIndexes", "DebugFiles", "Dwarf",
                "Demangling", "MetricKitPayloads", "StackRendering", "ByteReading", "CallStacks",
            ]),
    ],
    // Exact, because `Package.resolved` is not committed: a mirror may have other commit IDs.
    dependencies: [
        .package(url: "https://github.com/apple/swift-algorithms", exact: "1.2.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        // Without its plugin, because generated code is committed.
        .package(url: "https://github.com/apple/swift-protobuf", exact: "1.39.0", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/grpc/grpc-swift-2", exact: "2.4.3"),
        .package(url: "https://github.com/grpc/grpc-swift-nio-transport", exact: "2.9.2"),
        .package(url: "https://github.com/grpc/grpc-swift-protobuf", exact: "2.4.1"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // Ground
        module("Problems"),
        module("CallStacks"),
        module("ByteReading"),
        module("JSONText", ["Problems"]),
        module("HTMLText", ["PercentEncoding"]),
        module("HTTPDates"),
        module("HexadecimalDigits"),
        module("PercentEncoding"),
        module("TaskCoordination"),
        // What clients over C libraries share. Those libraries are loaded at run time, not linked.
        module("ClientLibraries"),
        // Formats
        .systemLibrary(name: "CLibDwarf", providers: [.apt(["libdwarf-dev"])]),
        .systemLibrary(name: "CLibElf", pkgConfig: "libelf", providers: [.apt(["libelf-dev"])]),
        .systemLibrary(
            name: "CLibDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
        .systemLibrary(name: "CLibZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(name: "CLibZ", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CLibLzma", pkgConfig: "liblzma", providers: [.apt(["liblzma-dev"])]),
        module(
            "Decompression",
            ["Problems", "ByteReading", "CLibDeflate", "CLibLzma", "CLibZ", "CLibZstd"]),
        module("MachO", ["ByteReading", "CallStacks"]),
        module(
            "SharedCaches",
            [
                "MachO", "ByteReading", "CallStacks",
                .product(name: "Algorithms", package: "swift-algorithms"),
            ]),
        module("ELF", ["ByteReading", "CallStacks", "CLibElf"]),
        module(
            "Dwarf",
            [
                "ByteReading", "CallStacks", "CLibDwarf",
                .product(name: "Algorithms", package: "swift-algorithms"),
            ]),
        .systemLibrary(
            name: "CLibArchive", pkgConfig: "libarchive", providers: [.apt(["libarchive-dev"])]),
        module("Archives", ["Problems", "CLibArchive"]),
        // Lookup
        module(
            "DebugFiles",
            ["MachO", "ELF", "Dwarf", "Decompression", "ByteReading", "CallStacks"]),
        module(
            "SymbolIndexes",
            [
                "ByteReading", "CallStacks", "JSONText",
                .product(name: "Algorithms", package: "swift-algorithms"),
            ]),
        .target(
            name: "CLLVMDemangle",
            cxxSettings: [.unsafeFlags(["-isystem", "/usr/lib/llvm-19/include"])],
            linkerSettings: [.linkedLibrary("stdc++")]),
        .target(name: "CSwiftDemangle"),
        module("Demangling", ["CLLVMDemangle", "CSwiftDemangle"]),
        module("FlameGraphs", ["ByteReading", "CallStacks", "JSONText"]),
        // Use case
        module("Symbolication", ["SymbolIndexes", "FlameGraphs", "Demangling", "CallStacks"]),
        // Adapters
        .target(name: "CFileSystem"),
        module(
            "SymbolStores",
            [
                "Problems", "Symbolication", "SymbolIndexes", "DebugFiles", "Archives",
                "CFileSystem", "SharedCaches",
                "ByteReading", "CallStacks", "TaskCoordination",
            ]),
        module("MetricKitPayloads", ["Problems", "CallStacks", "JSONText"]),
        module("StackRendering", ["Problems", "FlameGraphs", "CallStacks", "JSONText"]),
        .target(name: "CPageAssets", exclude: ["Assets"]),
        .target(name: "CUploadScript"),
        module(
            "Pages",
            [
                "CPageAssets", "PercentEncoding", "HTMLText", "FlameGraphs", "StackRendering",
                "CallStacks",
            ]),
        module("Atos", ["StackRendering", "CallStacks"]),
        scanningModule(
            "ReportFormats",
            [
                "Problems", "Symbolication", "MetricKitPayloads", "StackRendering", "JSONText",
                "ByteReading", "CallStacks",
                .product(name: "Algorithms", package: "swift-algorithms"),
            ]),
        scanningModule(
            "LogExtraction",
            [
                "Problems", "ReportFormats", "MetricKitPayloads", "Archives", "Decompression",
                "JSONText",
                "CallStacks", .product(name: "Algorithms", package: "swift-algorithms"),
            ]),
        module("Redaction", ["ReportFormats", "JSONText", "CallStacks"]),
        module(
            "ReportProcessing",
            [
                "Problems", "LogExtraction", "Redaction", "ReportFormats", "MetricKitPayloads",
                "StackRendering", "FlameGraphs", "JSONText", "CallStacks",
            ]),
        module(
            "OTLP",
            [
                "Problems", "ByteReading",
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf"),
            ]),
        module(
            "MetricKitSignals",
            [
                "MetricKitPayloads", "Symbolication", "OTLP", "JSONText", "CallStacks",
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        // Flow
        .target(name: "CChildProcess"),
        module(
            "SymbolIntake",
            [
                "HexadecimalDigits",
                "Problems", "SymbolStores", "Symbolication", "SymbolIndexes", "DebugFiles",
                "Archives",
                "Decompression", "JSONText", "ByteReading", "CallStacks", "TaskCoordination",
                "CChildProcess",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ]),
        module(
            "Ingest",
            [
                "HexadecimalDigits",
                "Problems", "SymbolIntake", "Symbolication", "MetricKitSignals",
                "Redaction", "ReportFormats", "MetricKitPayloads", "StackRendering", "FlameGraphs",
                "OTLP", "HTMLText", "CallStacks", "TaskCoordination",
                .product(name: "Algorithms", package: "swift-algorithms"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        // Protocols of other services
        module(
            "SentryProtocol",
            [
                "HexadecimalDigits", "SymbolIntake", "DebugFiles", "CallStacks",
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        // Descriptions of libraries' errors
        module(
            "ErrorDescriptions",
            [
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        // Certificates and keys in PEM files
        module(
            "CertificateFiles",
            [
                "Problems", "ErrorDescriptions",
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        // Client of PostgreSQL. libpq is loaded at run time, so nothing is linked.
        module("PostgreSQL", ["Problems", "ClientLibraries", "TaskCoordination"]),
        // Client of Kafka. librdkafka is loaded at run time, so nothing is linked.
        module(
            "Kafka",
            [
                "Problems", "ClientLibraries", "TaskCoordination",
                .product(name: "Algorithms", package: "swift-algorithms"),
            ]),
        // Client of object storage
        module(
            "ObjectStorage",
            [
                "HTTPDates", "HexadecimalDigits", "PercentEncoding",
                "Problems", "JSONText", "TaskCoordination", "ErrorDescriptions",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        // Implementations of ports
        .target(name: "CSQLiteMemory", linkerSettings: [.linkedLibrary("sqlite3")]),
        module(
            "EmbeddedDatabase",
            [
                "Problems", "Ingest", "SymbolIntake", "MetricKitSignals", "DebugFiles",
                "Decompression", "CSQLiteMemory",
                "CallStacks", "TaskCoordination", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
        module(
            "SharedDatabase",
            [
                "Problems", "Ingest", "SymbolIntake", "MetricKitSignals", "PostgreSQL",
                "DebugFiles", "Decompression", "ByteReading", "CallStacks", "TaskCoordination",
            ]),
        module(
            "SharedStorage",
            [
                "Problems", "SharedDatabase", "ObjectStorage", "Ingest", "SymbolIntake",
                "Decompression", "CallStacks",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        module(
            "Exporting",
            [
                "HTTPDates",
                "Problems", "Ingest", "Kafka", "OTLP", "Decompression", "ErrorDescriptions",
                "CertificateFiles", "TaskCoordination",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2", package: "grpc-swift-nio-transport"),
                .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        module(
            "Telemetry",
            [
                "HexadecimalDigits", "OTLP", "JSONText", "CallStacks",
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        module(
            "ServerConfiguration",
            [
                "Problems", "Telemetry", "Symbolication", "CallStacks",
                .product(name: "Algorithms", package: "swift-algorithms"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Yams", package: "Yams"),
            ]),
        // Client of the service
        module(
            "ServiceClient",
            [
                "HTTPDates", "PercentEncoding",
                "Problems", "SymbolStores", "Symbolication", "DebugFiles", "SharedCaches",
                "Archives",
                "JSONText", "ByteReading", "CallStacks", "ErrorDescriptions", "CertificateFiles",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        // Client of debuginfod servers
        module(
            "Debuginfod",
            [
                "Problems", "SymbolStores", "Symbolication", "SymbolIndexes", "DebugFiles",
                "CallStacks",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        // Protocols of other tools
        module(
            "DebuginfodServer",
            ["SymbolIntake", "JSONText", "ByteReading", "CallStacks"]),
        module(
            "SymbolicatorAPI",
            [
                "Problems", "SymbolIntake", "JSONText", "CallStacks",
                .product(name: "Algorithms", package: "swift-algorithms"),
            ]),
        module(
            "MozillaSymbolication",
            [
                "Problems", "SymbolIntake", "Symbolication", "SymbolIndexes", "Demangling",
                "JSONText",
                "CallStacks",
            ]),
        // Service
        module(
            "HTTPService",
            [
                "HTTPDates", "HexadecimalDigits",
                "CUploadScript", "DebuginfodServer", "MozillaSymbolication", "SymbolicatorAPI",
                "SentryProtocol", "Problems", "Ingest", "SymbolIntake", "Symbolication",
                "MetricKitSignals", "ReportProcessing", "LogExtraction", "ReportFormats",
                "Redaction", "FlameGraphs",
                "Pages", "HTMLText",
                "MetricKitPayloads", "StackRendering", "OTLP", "DebugFiles", "Decompression",
                "JSONText", "CallStacks", "ErrorDescriptions", "CertificateFiles",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2", package: "grpc-swift-nio-transport"),
                .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // Edge
        .systemLibrary(name: "CMalloc"),
        .target(
            name: "CBuildInformation",
            cSettings: [.define("SYMBOLIST_COMMIT", to: "\"\(commit)\"")]),
        .executableTarget(
            name: "symbolist",
            dependencies: [
                "Problems", "HTTPService", "ServiceClient", "Debuginfod", "ServerConfiguration",
                "EmbeddedDatabase", "SharedDatabase", "SharedStorage", "ObjectStorage",
                "PostgreSQL", "Kafka",
                "Exporting", "Telemetry", "SentryProtocol",
                "Ingest", "SymbolIntake", "SymbolStores", "Symbolication", "SymbolIndexes",
                "DebugFiles", "SharedCaches", "ReportProcessing", "LogExtraction", "ReportFormats",
                "MetricKitSignals", "MetricKitPayloads",
                "StackRendering", "FlameGraphs", "Atos", "OTLP", "JSONText",
                "CallStacks", "CMalloc", "CBuildInformation", "ErrorDescriptions",
                "CertificateFiles", "ClientLibraries", "TaskCoordination",
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict, linkerSettings: smallStart),
        // Tests
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
        .target(
            name: "IndexSupport", dependencies: ["SymbolIndexes", "CallStacks"],
            path: "Tests/IndexSupport", swiftSettings: strict),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Symbolication", "SymbolIndexes", "DebugFiles", "Demangling", "MachO", "ELF",
                "Dwarf", "SharedCaches", "LogExtraction", "ReportFormats", "MetricKitPayloads",
                "StackRendering",
                "OTLP", "IndexSupport", "ByteReading", "CallStacks",
            ],
            path: "Tests/FuzzTargets", swiftSettings: strict),
        tests("FuzzReplayTests", ["FuzzTargets", "Dwarf", "CallStacks"]),
        tests("TidyTests"),
        tests(
            "DeployTests",
            [
                "symbolist", "ServerConfiguration",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Yams", package: "Yams"),
            ]),
        .target(
            name: "PeerComparison",
            dependencies: [
                "SymbolStores", "SymbolIndexes", "DebugFiles", "ByteReading", "CallStacks",
                "IndexSupport", "TestSupport",
            ],
            path: "Tests/PeerComparison", swiftSettings: strict),
        // Used by Scripts/compare.
        .executableTarget(
            name: "compare",
            dependencies: [
                "PeerComparison", "SymbolStores", "DebugFiles", "CallStacks",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Compare", swiftSettings: strict),
        tests(
            "DifferentialTests",
            [
                "PeerComparison", "IndexSupport", "SymbolStores", "SymbolIndexes", "DebugFiles",
                "ByteReading", "CallStacks",
            ]),
        tests(
            "FixtureTests",
            [
                "LogExtraction", "ReportFormats", "SymbolStores", "Symbolication",
                "MetricKitPayloads", "CallStacks",
            ]),
        tests("DemanglingTests", ["Demangling", "CSwiftDemangle"]),
        tests("ProblemsTests", ["Problems"]),
        tests("HTTPDatesTests", ["HTTPDates"]),
        tests("HexadecimalDigitsTests", ["HexadecimalDigits"]),
        tests("PercentEncodingTests", ["PercentEncoding"]),
        // PostgreSQL servers for tests.
        .target(
            name: "PostgreSQLSupport", dependencies: ["TestSupport"],
            path: "Tests/PostgreSQLSupport", swiftSettings: strict),
        tests("PostgreSQLTests", ["PostgreSQL", "PostgreSQLSupport", "Problems"]),
        // Brokers for tests: librdkafka's mock cluster.
        .target(
            name: "KafkaSupport", dependencies: ["TestSupport"], path: "Tests/KafkaSupport",
            swiftSettings: strict),
        tests("KafkaTests", ["Kafka", "KafkaSupport", "Problems"]),
        // Nodes of a cluster, and entries, diagnostics and files of databases, for tests.
        .target(
            name: "JournalSupport",
            dependencies: [
                "Problems", "SharedDatabase", "Ingest", "SymbolIntake", "DebugFiles", "PostgreSQL",
                "CallStacks",
                "PostgreSQLSupport", "TestSupport",
            ],
            path: "Tests/JournalSupport", swiftSettings: strict),
        tests(
            "DatabasePortTests",
            [
                "JournalSupport", "EmbeddedDatabase", "SharedDatabase", "Ingest", "SymbolIntake",
                "MetricKitSignals", "DebugFiles", "CallStacks", "symbolist",
            ]),
        tests(
            "SharedDatabaseTests",
            [
                "JournalSupport", "SharedDatabase", "Ingest", "SymbolIntake", "MetricKitSignals",
                "PostgreSQL",
                "PostgreSQLSupport", "ProxySupport", "Problems", "CallStacks",
            ]),
        tests("CallStacksTests", ["CallStacks"]),
        tests("ByteReadingTests", ["ByteReading"]),
        tests("JSONTextTests", ["Problems", "JSONText"]),
        tests("DecompressionTests", ["Problems", "Decompression", "ByteReading"]),
        tests("MachOTests", ["MachO", "ByteReading", "CallStacks"]),
        tests(
            "SharedCachesTests",
            [
                "SharedCaches", "DebugFiles", "SymbolIndexes", "IndexSupport",
                "ByteReading", "CallStacks",
            ]),
        tests("ELFTests", ["ELF", "ByteReading", "CallStacks"]),
        tests(
            "DwarfTests", ["Dwarf", "MachO", "ByteReading", "CallStacks"], hasGoldens: true),
        tests(
            "DebugFilesTests", ["DebugFiles", "Dwarf", "ByteReading", "CallStacks"],
            hasGoldens: true),
        tests(
            "SymbolIndexesTests", ["SymbolIndexes", "IndexSupport", "ByteReading", "CallStacks"],
            hasGoldens: true),
        tests(
            "SymbolicationTests",
            [
                "Symbolication", "SymbolIndexes", "IndexSupport", "Demangling", "ByteReading",
                "CallStacks",
            ]),
        tests(
            "MetricKitPayloadsTests", ["Problems", "MetricKitPayloads", "JSONText", "CallStacks"]),
        // Reports of the sample app and their functions, for tests of readers and writers.
        .target(
            name: "ReportFixtures",
            dependencies: [
                "LogExtraction", "ReportFormats", "SymbolStores", "Symbolication", "CallStacks",
                "TestSupport",
            ],
            path: "Tests/ReportFixtures", swiftSettings: strict),
        tests(
            "ReportFormatsTests",
            [
                "Problems", "ReportFormats", "LogExtraction", "ReportFixtures", "MetricKitPayloads",
                "StackRendering", "Symbolication", "SymbolStores", "JSONText", "CallStacks",
            ], hasGoldens: true),
        tests(
            "LogExtractionTests",
            [
                "Problems", "LogExtraction", "ReportFormats", "ReportFixtures", "MetricKitPayloads",
                "Archives", "Decompression", "JSONText", "CallStacks",
            ]),
        tests(
            "RedactionTests",
            [
                "Redaction", "LogExtraction", "ReportFormats", "ReportFixtures", "StackRendering",
                "Symbolication", "SymbolStores", "JSONText", "CallStacks",
            ], hasGoldens: true),
        tests(
            "ReportProcessingTests",
            [
                "ReportProcessing", "LogExtraction", "ReportFormats", "FlameGraphs",
                "Symbolication", "CallStacks",
            ]),
        tests("FlameGraphsTests", ["FlameGraphs", "CallStacks", "JSONText"]),
        tests(
            "MetricKitSignalsTests",
            ["MetricKitSignals", "OTLP", "JSONText", "CallStacks"]),
        tests(
            "StackRenderingTests", ["StackRendering", "FlameGraphs", "CallStacks", "JSONText"],
            hasGoldens: true),
        tests("HTMLTextTests", ["HTMLText"]),
        tests(
            "PagesTests", ["Pages", "HTMLText", "FlameGraphs", "CallStacks"],
            hasGoldens: true),
        tests("AtosTests", ["Atos", "CallStacks"]),
        tests(
            "SymbolStoresTests",
            [
                "SymbolIndexes", "SharedCaches", "ByteReading", "SymbolStores", "Symbolication",
                "DebugFiles", "CallStacks", "Problems",
            ]),
        tests("ArchivesTests", ["Archives", "Problems"]),
        tests("TaskCoordinationTests", ["TaskCoordination"]),
        tests(
            "IngestTests",
            [
                "JournalSupport", "Problems", "Ingest", "EmbeddedDatabase", "OTLP", "SymbolIntake",
                "Symbolication",
                "SymbolStores", "DebugFiles", "LogExtraction", "MetricKitPayloads", "FlameGraphs",
                "CallStacks",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        tests(
            "ErrorDescriptionsTests",
            [
                "ErrorDescriptions",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        tests("CertificateFilesTests", ["CertificateFiles", "Problems"]),
        // A proxy that delays and cuts connections, for tests.
        .target(
            name: "ProxySupport",
            dependencies: [
                "TestSupport", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/ProxySupport", swiftSettings: strict),
        // An S3 server for tests.
        .target(
            name: "ObjectStorageSupport", dependencies: ["TestSupport"],
            path: "Tests/ObjectStorageSupport", swiftSettings: strict),
        tests(
            "ObjectStorageTests",
            [
                "HexadecimalDigits", "PercentEncoding", "ObjectStorage", "ObjectStorageSupport",
                "Problems",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        tests(
            "SharedStorageTests",
            [
                "SharedStorage", "SharedDatabase", "ObjectStorage", "ObjectStorageSupport",
                "Ingest", "SymbolIntake", "SymbolStores", "symbolist", "Symbolication",
                "JournalSupport", "PostgreSQL", "ProxySupport", "Problems", "CallStacks",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        tests(
            "ExportingTests",
            [
                "Problems", "Exporting", "HTTPService", "Ingest", "OTLP", "Decompression",
                "CallStacks", "Kafka", "KafkaSupport",
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2", package: "grpc-swift-nio-transport"),
                .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        tests(
            "MozillaSymbolicationTests",
            [
                "MozillaSymbolication", "Problems", "SymbolStores", "SymbolIndexes", "IndexSupport",
                "DebugFiles", "Demangling", "ByteReading", "CallStacks",
            ]),
        tests("SymbolicatorAPITests", ["SymbolicatorAPI", "Problems", "JSONText", "CallStacks"]),
        tests("DebuginfodServerTests", ["DebuginfodServer"]),
        tests(
            "HTTPServiceTests",
            [
                "SentryProtocol", "Pages", "Problems", "JournalSupport", "HTTPService", "symbolist",
                "EmbeddedDatabase", "Ingest",
                "SymbolIntake",
                "Symbolication", "OTLP", "Telemetry", "DebugFiles",
                "ReportFormats", "Decompression", "CallStacks",
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "GRPCNIOTransportHTTP2", package: "grpc-swift-nio-transport"),
                .product(name: "GRPCProtobuf", package: "grpc-swift-protobuf"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // A process that is killed while it writes.
        .executableTarget(
            name: "append-until-killed",
            dependencies: ["EmbeddedDatabase", "Ingest", "CallStacks"],
            path: "Tests/AppendUntilKilled", swiftSettings: strict),
        tests(
            "EmbeddedDatabaseTests",
            [
                "Problems", "append-until-killed", "JournalSupport", "EmbeddedDatabase", "Ingest",
                "SymbolIntake", "MetricKitSignals", "DebugFiles", "CallStacks",
                .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        tests(
            "TelemetryTests",
            [
                "Telemetry", "OTLP", "CallStacks",
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        tests(
            "ServerConfigurationTests",
            [
                "ServerConfiguration", "Symbolication", "Telemetry", "Problems",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "OTLPTests",
            dependencies: [
                "Problems", "OTLP", "TestSupport",
                .product(name: "GRPCCore", package: "grpc-swift-2"),
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            exclude: ["Requests"], swiftSettings: strict),
        // The built service as a process, with real clients.
        tests(
            "ServiceTests",
            [
                "symbolist", "HTTPService", "EmbeddedDatabase", "Ingest", "OTLP", "Decompression",
                "CallStacks", "PostgreSQL", "PostgreSQLSupport", "ProxySupport", "ObjectStorage",
                "ObjectStorageSupport", "Kafka", "KafkaSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        tests(
            "SentryProtocolTests",
            [
                "SentryProtocol", "SymbolIntake", "CallStacks",
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        tests(
            "SymbolIntakeTests",
            [
                "ByteReading", "Problems", "SymbolIntake", "symbolist", "SymbolStores",
                "Symbolication", "SymbolIndexes",
                "DebugFiles", "CallStacks", .product(name: "Logging", package: "swift-log"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        // An imitation of the service, for tests of clients.
        .target(
            name: "ContractServer",
            dependencies: [
                "TestSupport", "HTTPService", "Archives", "DebugFiles", "ByteReading", "CallStacks",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/ContractServer", swiftSettings: strict),
        tests(
            "ServiceClientTests",
            [
                "Problems", "ServiceClient", "ContractServer", "SymbolStores", "DebugFiles",
                "Archives",
                "ByteReading", "CallStacks",
            ]),
        tests(
            "DebuginfodTests",
            [
                "Problems", "Debuginfod", "HTTPService", "SymbolStores", "Symbolication",
                "CallStacks",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        tests("CommandTests", ["symbolist", "ContractServer", "CallStacks"], hasGoldens: true),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
