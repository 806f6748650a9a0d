import CallStacks

/// What is to be said about the answers to one input after they have been written.
struct AnswerSummary {
    private(set) var remarks: Set<Remark> = []
    private(set) var missing = MissingSymbols()
    /// The images whose symbols are there and cannot be used, in the order of the answers.
    private(set) var damagedImages: [ImageID] = []

    mutating func add(_ answer: SymbolicatedDiagnostic) {
        remarks.formUnion(answer.remarks)
        for frame in answer.frames { remarks.formUnion(frame.remarks) }
        missing.add(answer)
        for image in answer.images where image.status == .corrupt {
            if let id = image.image, !damagedImages.contains(id) { damagedImages.append(id) }
        }
    }
}
