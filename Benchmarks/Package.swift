// swift-tools-version: 6.2
import PackageDescription

// Measures what has to be measured inside one process; `Benchmarks/run` builds and runs it. It is a
// package of its own, so that a build of the product has nothing to do with it. Packages in folders
// of one name are taken for one, so the folder of the project must not be called `benchmarks`.

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "symbolist", path: "..")],
    targets: [
        .executableTarget(
            name: "Measure",
            dependencies: [.product(name: "MeasuredModules", package: "symbolist")],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("InternalImportsByDefault"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
