import CallStacks
import MetricKitPayloads
import Symbolication

/// Finds the main executable of the process that a diagnostic is about.
///
/// MetricKit does not name it, but the loader calls the entry point of the program directly: the
/// main thread starts with one frame of `dyld`, or in a simulator one of `dyld` and one of
/// `dyld_sim`, and the next frame is `main`. Initialisers of libraries are called through several
/// frames of the loader, and the entry point of an app extension is in a system framework, which is
/// why neither is taken for the executable.
struct MainExecutable {
    private static let loaders: Set<String> = ["dyld", "libdyld.dylib"]
    private static let simulatorLoader = "dyld_sim"

    private let tree: CallStackTree
    private let architecture: String?

    /// Returns the UUID of the main executable, or `nil` if the stacks do not show it.
    static func id(in diagnostic: ReceivedDiagnostic) -> ImageID? {
        let resolved = diagnostic.resolved()
        let search = Self(tree: resolved.tree, architecture: resolved.details.architecture)
        let found = Set(search.entryPoints.compactMap(search.executable))
        return found.count == 1 ? found.first : nil
    }

    /// The frames that the loader calls directly, as indexes into the frames of the tree.
    private var entryPoints: [Int] {
        tree.stacks.flatMap { stack in
            switch tree.form {
            case .threads: entryPoint(ofThread: Array(stack.frames.reversed()))
            case .sampled: entryPoints(in: stack.frames)
            }
        }
    }

    /// - Parameter frames: The frames of a linear stack, outermost first.
    private func entryPoint(ofThread frames: [Int]) -> [Int] {
        guard let start = frames.first, isLoader(start) else { return [] }
        return frames.dropFirst().prefix(2).drop(while: isSimulatorLoader).prefix(1).map { $0 }
    }

    /// - Parameter stack: The frames of a sampled stack.
    private func entryPoints(in stack: Range<Int>) -> [Int] {
        let starts = Set(stack.filter { tree.frames[$0].parent == nil && isLoader($0) })
        guard !starts.isEmpty else { return [] }
        let called = callees(of: starts, in: stack)
        return called.filter { !isSimulatorLoader($0) }
            + callees(of: Set(called.filter(isSimulatorLoader)), in: stack)
    }

    private func callees(of callers: Set<Int>, in stack: Range<Int>) -> [Int] {
        guard !callers.isEmpty else { return [] }
        return stack.filter { index in
            tree.frames[index].parent.map(callers.contains) ?? false
        }
    }

    private func isLoader(_ index: Int) -> Bool {
        tree.frames[index].imageName.map(Self.loaders.contains) ?? false
    }

    private func isSimulatorLoader(_ index: Int) -> Bool {
        tree.frames[index].imageName == Self.simulatorLoader
    }

    /// Returns the image of an entry point, unless it is the system's or a library. Debug builds of
    /// Xcode have their code in a library, `Shop.debug.dylib`, which the executable jumps to.
    private func executable(at index: Int) -> ImageID? {
        let frame = tree.frames[index]
        guard let id = frame.image, let name = frame.imageName, !name.hasSuffix(".dylib"),
            InAppRules().isInApp(
                ImageTraits(
                    id: id, name: name, loadAddress: frame.loadAddress, architecture: architecture))
        else { return nil }
        return id
    }
}
