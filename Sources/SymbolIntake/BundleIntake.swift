public import CallStacks
import Metrics
import SymbolStores

/// Takes uploaded bundles in: children read them, and what is good is kept.
///
/// For each slice the blob is on the disk before its index, and the index before its row in the
/// catalogue. So what is answered is kept, whenever the process is killed.
public struct BundleIntake: Sendable {
    let storage: SymbolStorage
    let symbols: StoredSymbols
    /// Called once for each upload, at its end, with the images whose debug files arrived or were
    /// replaced by better ones. These are on the disk, and symbols are answered from them; whoever is
    /// killed before that finds them in the catalogue.
    private let arrived: @Sendable ([ArrivedImage]) async -> Void

    public init(
        _ storage: SymbolStorage, symbols: StoredSymbols,
        arrived: @escaping @Sendable ([ArrivedImage]) async -> Void
    ) {
        self.storage = storage
        self.symbols = symbols
        self.arrived = arrived
    }

    /// - Throws: If so little space is free that an upload of `bytes` is refused before it is read.
    public func checkFreeSpace(for bytes: Int64 = 0) throws(IntakeError) {
        do throws(FileFailure) { try storage.space.check(for: bytes) } catch {
            throw IntakeError(error)
        }
    }

    /// Takes an upload in.
    ///
    /// - Parameters:
    ///   - path: A file or folder in ``DataFolders/incoming``, which is gone afterwards.
    ///   - name: What the client calls it.
    ///   - terms: Whom it is for.
    /// - Returns: For each slice and for each file that could not be read what became of it.
    /// - Throws: When the rest could not be kept for a reason that is not in the files. What
    ///   arrived until then is kept, and is a duplicate when it is sent again.
    public func take(
        fileAt path: String, named name: String, on terms: UploadTerms
    ) async throws(IntakeError) -> [IntakeAnswer] {
        defer { storage.folders.remove(path) }
        let images = ArrivedImages()
        let result: Result<[IntakeAnswer], IntakeError>
        do {
            result = try await storage.intakes.run {
                await take(path, named: Self.shownName(name), terms, images)
            }
        } catch { result = .failure(IntakeError(error)) }
        if !images.all.isEmpty { await arrived(images.all) }
        return try result.get()
    }

    private func take(
        _ path: String, named name: String, _ terms: UploadTerms, _ images: ArrivedImages
    ) async -> Result<[IntakeAnswer], IntakeError> {
        do {
            let folder = try storage.folders.newIncomingFolder()
            defer { storage.folders.remove(folder) }
            let answers = try await take(path, in: folder, named: name, terms, images)
            for answer in answers {
                let status = [("status", answer.status.rawValue)]
                Counter(label: "symbolist_uploaded_files_total", dimensions: status).increment()
            }
            return .success(answers)
        } catch { return .failure(IntakeError(error)) }
    }

    private func take(
        _ path: String, in folder: String, named name: String, _ terms: UploadTerms,
        _ images: ArrivedImages
    ) async throws -> [IntakeAnswer] {
        let contents = folder + "/contents"
        try DataFolders.make(contents)
        let lines: [ListedLine]
        do {
            lines = try await storage.children.list(path, into: contents, named: name)
        } catch .refused(let reason) {
            return [IntakeAnswer(rejecting: name, reason)]
        }
        if let build = terms.build { try await note(lines, in: build) }
        return try await answers(to: lines, folder, terms, images)
    }

    /// What becomes of each line, in their order.
    ///
    /// Files with debug information go first: stripped copies of the same images are duplicates
    /// then, and need not be read.
    private func answers(
        to lines: [ListedLine], _ folder: String, _ terms: UploadTerms, _ images: ArrivedImages
    ) async throws -> [IntakeAnswer] {
        var answers = [[IntakeAnswer]](repeating: [], count: lines.count)
        var files: [(number: Int, file: ListedFile)] = []
        for (number, line) in lines.enumerated() {
            switch line {
            case .refusal(let name, let reason):
                answers[number] = [IntakeAnswer(rejecting: name, reason)]
            case .full(let reason): throw ChildFailure.failed(reason, isFull: true)
            case .file(let file): files.append((number, file))
            }
        }
        for hasDebugInformation in [true, false] {
            let some = files.filter { $0.file.hasDebugInformation == hasDebugInformation }
            for (number, answer) in try await self.answers(to: some, folder, terms, images) {
                answers[number] = answer
            }
        }
        return answers.flatMap(\.self)
    }

    /// Takes files in, some at a time.
    private func answers(
        to files: [(number: Int, file: ListedFile)], _ folder: String, _ terms: UploadTerms,
        _ images: ArrivedImages
    ) async throws -> [(Int, [IntakeAnswer])] {
        try await withThrowingTaskGroup(of: (Int, [IntakeAnswer]).self) { group in
            var answers: [(Int, [IntakeAnswer])] = []
            for (position, (number, file)) in files.enumerated() {
                // Twice as many as children: a file waits for the disk while another one is read.
                if position >= 2 * storage.settings.childCount, let done = try await group.next() {
                    answers.append(done)
                }
                let work = SliceIntake(
                    intake: self, file: file, terms: terms, drafts: "\(folder)/\(number)",
                    arrived: images)
                group.addTask { (number, try await work.answers()) }
            }
            for try await done in group { answers.append(done) }
            return answers
        }
    }

    /// Notes that images whose debug files are stored are part of a build, as their upload would.
    /// It makes the app no owner of them, and tells nothing of files that the app may not use.
    public func note(_ stored: Set<ImageID>, in build: Build) async throws(IntakeError) {
        let access = SymbolAccess.only(build.app)
        do {
            var images: [BuildImage] = []
            for image in stored {
                let files = try await storage.catalogue.debugFiles(of: image)
                for file in files where access.includes(file.owner) {
                    images.append(
                        BuildImage(
                            image: image, architecture: file.architecture,
                            name: ListedFile.imageName(file.name)))
                }
            }
            try await note(images, in: build)
        } catch { throw IntakeError(error) }
    }

    /// A build has its images whether or not their debug files can be read.
    private func note(_ lines: [ListedLine], in build: Build) async throws {
        var images: [BuildImage] = []
        for case .file(let file) in lines {
            for slice in file.slices {
                guard let image = slice.image else { continue }
                images.append(
                    BuildImage(
                        image: image, architecture: slice.architecture,
                        name: ListedFile.imageName(file.name)))
            }
        }
        try await note(images, in: build)
    }

    private func note(_ images: [BuildImage], in build: Build) async throws {
        guard !images.isEmpty else { return }
        try await storage.catalogue.add(images, to: build, at: .now())
        symbols.add(imagesOfBuilds: images.map(\.image), of: build.app)
    }

    /// A name for answers and rows: one line of bounded length.
    private static func shownName(_ name: String) -> String {
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
        let shown = last.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return shown.isEmpty ? "upload" : String(String.UnicodeScalarView(shown.prefix(255)))
    }
}

extension ListedFile {
    /// The last part of a file's name without the endings that debug files add to that of their image.
    fileprivate static func imageName(_ name: String) -> String {
        let last = name.split(separator: "/").last.map(String.init) ?? name
        for ending in [".debug", ".dbg"] where last.hasSuffix(ending) && last != ending {
            return String(last.dropLast(ending.count))
        }
        return last
    }
}
