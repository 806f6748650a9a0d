extension IntakeResult {
    /// Describes the contents of a file, and which file is kept.
    ///
    /// - Parameter stored: The owner's file after the upload.
    func detail(of stored: StoredDebugFile) -> String {
        if status == .duplicate { return stored.keptDetail }
        return [stored.contentsText, reason].compactMap(\.self).joined(separator: "\n")
    }
}

extension StoredDebugFile {
    fileprivate var contentsText: String? {
        completeness.map { "\($0.functions) functions, \($0.lines) lines" }
    }

    /// The detail for a file that is kept instead of another one.
    fileprivate var keptDetail: String {
        let kept = "kept the stored file, which has the same or more information"
        return [kept, contentsText].compactMap(\.self).joined(separator: ": ")
    }
}

extension AssembledFile {
    /// The result for a file that adds nothing to a stored one.
    init(_ stored: StoredDebugFile, named name: String) {
        self.init(
            image: stored.image, architecture: stored.architecture, name: name, kind: stored.kind,
            detail: stored.keptDetail, blob: stored.blob)
    }
}
