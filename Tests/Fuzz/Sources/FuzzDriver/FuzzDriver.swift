import Foundation
public import FuzzTargets

// The program itself is libFuzzer's. It calls `LLVMFuzzerInitialize`, which each fuzzer defines and
// which names its target here, and then `LLVMFuzzerTestOneInput` with one input after the other.

public typealias FuzzArgumentCount = UnsafeMutablePointer<CInt>?
public typealias FuzzArguments =
    UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?

/// Starts a fuzzer, or writes its seeds.
///
/// With the arguments `--seeds FOLDER FILE…` it writes the seeds from these files of the project,
/// and ends the program. Otherwise the arguments are those of libFuzzer.
public func startFuzzing(_ target: FuzzTarget) -> CInt {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.first == "--seeds", let folder = arguments.dropFirst().first else {
        fuzzedTarget = target
        return 0
    }
    do {
        try writeSeeds(of: target, from: arguments.dropFirst(2), into: folder)
        exit(0)
    } catch {
        print("\(error)")
        exit(1)
    }
}

/// Set once, before the first input.
nonisolated(unsafe) private var fuzzedTarget: FuzzTarget?

@_cdecl("LLVMFuzzerTestOneInput")
func readFuzzed(bytes: UnsafePointer<UInt8>?, count: Int) -> CInt {
    do {
        try fuzzedTarget?.read(Array(UnsafeBufferPointer(start: bytes, count: count)))
        return 0
    } catch { fatalError("\(error)") }
}

private func writeSeeds(
    of target: FuzzTarget, from files: some Sequence<String>, into folder: String
) throws {
    var seeds: Set<[UInt8]> = []
    for file in files {
        seeds.formUnion(target.seeds(from: Array(try Data(contentsOf: URL(fileURLWithPath: file)))))
    }
    for (number, seed) in seeds.enumerated() {
        try Data(seed).write(to: URL(fileURLWithPath: "\(folder)/seed-\(number)"))
    }
    print("\(seeds.count) seeds")
}
