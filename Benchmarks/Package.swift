// swift-tools-version: 6.2
import PackageDescription

// Programs that `Benchmarks/run` builds and runs besides the product: `Measure` measures inside one
// process, `Discard` is the HTTP server that the service is compared with. It is a separate
// package, so that builds of the product do not depend on it. SwiftPM identifies packages by their
// folder's name, so the project's folder must not be called `benchmarks`.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "symbolist", path: ".."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    ],
    targets: [
        .executableTarget(
            name: "Measure",
            dependencies: [.product(name: "MeasuredModules", package: "symbolist")],
            swiftSettings: settings),
        .executableTarget(
            name: "Discard",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
