import CallStacks

extension Rows {
    /// How much of the app was resolved, counted in physical frames.
    ///
    /// A frame counts as resolved when the function that owns its code is known. Where no frame is
    /// the app's, nothing of the app was resolved.
    var status: SymbolicatedDiagnostic.Status {
        var wanted = 0
        var resolved = 0
        for row in frames.indices where frames[row].isInApp && !frames[row].isInlined {
            wanted += 1
            if frames[row].status.isResolved { resolved += 1 }
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
        for index in tree.frames.indices {
            guard let parent = tree.frames[index].parent, parent < index,
                tree.frames[parent].parent == nil, let image = tree.frames[index].image,
                tree.frames[parent].image == image,
                let offset = tree.frames[index].site?.offset,
                tree.frames[parent].site?.offset == offset
            else { continue }
            add(.duplicateInnermost, toPhysical: index)
        }
    }
}
