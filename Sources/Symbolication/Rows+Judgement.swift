import CallStacks

extension Rows {
    /// How much of the app was resolved, counted in physical frames.
    ///
    /// A frame counts as resolved when the function that owns its code is known. Where no frame is
    /// the app's, nothing of the app was resolved.
    var status: SymbolicatedDiagnostic.Status {
        var wanted = 0
        var resolved = 0
        for row in frames where row.isInApp && !row.isInlined {
            wanted += 1
            if row.status.isResolved { resolved += 1 }
        }
        if resolved == 0 { return .raw }
        return resolved == wanted ? .symbolicated : .partial
    }

    /// Marks the second frame of a linear stack where it repeats the first: the same image and the
    /// same offset.
    ///
    /// It is what unwinders report when the link register still holds the address of the fault.
    /// Further repetitions are recursion, and stay.
    mutating func markDuplicateInnermost(of tree: CallStackTree) {
        guard tree.form == .threads else { return }
        for (index, frame) in tree.frames.enumerated() {
            guard let parent = frame.parent, parent < index,
                tree.frames[parent].parent == nil, let image = frame.image,
                tree.frames[parent].image == image, let offset = frame.site?.offset,
                tree.frames[parent].site?.offset == offset
            else { continue }
            add(.duplicateInnermost, toPhysical: index)
        }
    }
}
