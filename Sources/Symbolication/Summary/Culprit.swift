import CallStacks

extension SymbolicatedDiagnostic {
    /// Returns the frame of the function to name in a title: the innermost one in the app's own
    /// source code. If none of those is resolved, it is one from a library's headers, or else a
    /// compiler-generated one of the app; `nil` if no frame of the app is resolved.
    ///
    /// Names from symbols of system images are not used, so the arrival of those symbols never
    /// changes a title.
    func culprit(among representative: [Int]) -> Int? {
        var first: Int?
        var firstWritten: Int?
        for row in representative where frames[row].mayBeCulprit {
            first = first ?? row
            if frames[row].isCompilerGenerated { continue }
            guard frames[row].file?.isOfToolchain == true else { return row }
            firstWritten = firstWritten ?? row
        }
        return firstWritten ?? first
    }
}

extension SymbolicatedFrame {
    /// The Swift compiler's prefix for the function that represents a failed check.
    private static let runtimeFailurePrefix = "Swift runtime failure: "

    /// Whether it is a resolved frame of the app that may have caused the crash.
    fileprivate var mayBeCulprit: Bool {
        isInApp && status.isResolved && !isRuntimeFailure && !remarks.contains(.duplicateInnermost)
    }

    /// Whether this is the inlined call by which the Swift compiler describes a trap.
    var isRuntimeFailure: Bool { mangled?.hasPrefix(Self.runtimeFailurePrefix) == true }

    /// The Swift compiler's description of a trap: `Index out of range`.
    var runtimeFailure: String? {
        guard let mangled, mangled.hasPrefix(Self.runtimeFailurePrefix) else { return nil }
        return String(mangled.dropFirst(Self.runtimeFailurePrefix.count))
    }
}

extension SourceFile {
    /// Folders that contain the headers and libraries of compilers and SDKs.
    private static let toolchainFolders = [
        "/usr/include/", "/usr/lib/", ".sdk/", ".xctoolchain/", "/rustc/",
        "/Applications/Xcode", "/Library/Developer/CommandLineTools/",
    ].map { Array($0.utf8) }

    /// Whether the file is part of the toolchain, such as the C++ headers inlined everywhere.
    var isOfToolchain: Bool {
        let path = Array(folder.utf8) + [UInt8(ascii: "/")]
        return Self.toolchainFolders.contains(where: path.hasPart)
    }
}

extension [UInt8] {
    /// Whether the bytes of `part` occur in succession. `contains` compares the characters of
    /// texts, which costs a hundred times as much, and a title needs this for every frame.
    fileprivate func hasPart(_ part: Self) -> Bool {
        guard let first = part.first, part.count <= count else { return part.isEmpty }
        return (0...count - part.count).contains { start in
            self[start] == first && self[start..<start + part.count].elementsEqual(part)
        }
    }
}
