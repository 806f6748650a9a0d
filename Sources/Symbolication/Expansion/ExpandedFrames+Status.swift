import CallStacks

extension ExpandedFrames {
    /// The extent to which the app's physical frames were resolved.
    ///
    /// A frame is resolved if the function that owns its code is known. If there is no app frame,
    /// the status is raw.
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

    /// Marks the second frame of a crashed thread's stack if it repeats the image and offset of the
    /// first.
    ///
    /// Unwinders report such a frame when the link register still has the address of the fault.
    /// Further repetitions are recursion and stay unmarked.
    mutating func markDuplicateInnermost(of diagnostic: Diagnostic) {
        let tree = diagnostic.tree
        guard diagnostic.kind == .crash, tree.form == .threads else { return }
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
