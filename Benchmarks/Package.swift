// swift-tools-version: 6.2
import PackageDescription

// What `Benchmarks/run` builds and runs beside the product: `Measure` measures inside one process,
// `Discard` is the HTTP server that the service is held against. It is a package of its own, so that
// a build of the product has nothing to do with it. Packages in folders of one name are taken for
// one, so the folder of the project must not be called `benchmarks`.

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
