public import CallStacks
import Metrics
import SymbolStores
import TaskCoordination

/// Processes uploads: worker processes read the files, and the usable ones are stored.
///
/// Each slice is stored in the order blob, index, catalogue row. So everything that a response
/// reports as stored survives if the process is killed.
public struct UploadIntake: Sendable {
    let storage: SymbolStorage
    let symbols: StoredSymbolIndexes
    /// Called once at the end of each upload, with the images whose debug files are new or were
    /// replaced by better ones. The files are on disk by then, and lookups use them. The catalogue
    /// has recorded the changes, so that none is lost if the process is killed before the call.
    private let arrived: @Sendable ([ImageID]) async -> Void

    public init(
        _ storage: SymbolStorage, symbols: StoredSymbolIndexes,
        arrived: @escaping @Sendable ([ImageID]) async -> Void
    ) {
        self.storage = storage
        self.symbols = symbols
        self.arrived = arrived
    }

    /// - Throws: ``IntakeError`` if there is too little free space for an upload of `bytes`.
    public func checkFreeSpace(for bytes: Int64 = 0) throws(IntakeError) {
        do throws(StorageError) { try storage.space.check(for: bytes) } catch {
            throw IntakeError(error)
        }
    }

    /// Processes one upload.
    ///
    /// - Parameters:
    ///   - path: A file or folder in ``DataFolders/incoming``, which is removed afterwards.
    ///   - name: The client's name for it.
    ///   - options: The owner and the build of the upload, and what it may replace.
    /// - Returns: The result for each slice, and for each unreadable file.
    /// - Throws: ``IntakeError`` if storing failed for a reason that is not in the files. Slices
    ///   stored before that stay stored, and are duplicates when the upload is repeated.
    public func process(
        fileAt path: String, named name: String, options: UploadOptions
    ) async throws(IntakeError) -> [IntakeResult] {
        defer { storage.folders.remove(path) }
        let images = UpdatedImages()
        let result: Result<[IntakeResult], IntakeError>
        do {
            result = try await storage.intakes.run {
                await process(path, named: Self.shownName(name), options: options, images: images)
            }
        } catch { result = .failure(IntakeError(error)) }
        if !images.all.isEmpty { await arrived(images.all) }
        return try result.get()
    }

    /// Returns the build that is named in an Xcode archive or in the dSYM of an app among received
    /// files.
    ///
    /// - Parameter files: The files, with their paths in the folder that was sent.
    public func build(
        namedBy files: [(path: String, name: String)]
    ) async throws(IntakeError) -> Build? {
        var lists = BundlePropertyLists()
        for file in files { lists.add(file.path, named: file.name) }
        guard !lists.paths.isEmpty else { return nil }
        do { return try await storage.workers.build(namedBy: lists.paths) } catch .refused {
            // Hostile or damaged lists name no build.
            return nil
        } catch { throw IntakeError(error) }
    }

    /// Causes the indexes of the images that use a new symbol map to be rebuilt with its names.
    func refresh(
        _ images: [ImageID], of owner: SymbolOwner
    ) async throws(IntakeError) {
        let updated = UpdatedImages()
        do {
            try await storage.arrivingImages.containing(Set(images)) {
                for image in images {
                    let files = try await storage.catalogue.debugFiles(of: image)
                    for file in files where file.owner == owner {
                        guard let store = storage.sharedIndexes else {
                            try await storage.changes.run { try await refresh(file) }
                            updated.add(image)
                            continue
                        }
                        if try await rebuild(file, in: store) { updated.add(image) }
                    }
                }
            }
        } catch { throw IntakeError(error) }
        if !updated.all.isEmpty { await arrived(updated.all) }
    }

    private func refresh(_ file: StoredDebugFile) async throws {
        try storage.indexes.remove(file.key)
        try await storage.sharedIndexes?.remove(file.key)
        symbols.invalidate(file.image)
        try await storage.catalogue.recordChange(of: file)
        try await symbols.reflectChanges(of: [file.image])
    }

    /// Rebuilds an index for all nodes before they notice the change, because each may have a copy
    /// of the old index.
    ///
    /// - Returns: Whether there are names for it.
    private func rebuild(
        _ file: StoredDebugFile, in store: any IndexStore
    ) async throws -> Bool {
        try await storage.symbolMaps.update(for: file.image, of: file.owner)
        guard storage.symbolMaps.maps(of: file.owner).hasMap(of: file.image) else { return false }
        let loader = IndexLoader(storage: storage, file: file, trustsIndex: false)
        guard case .opened = try await loader.rebuilt() else { return false }
        try await store.keep(
            fileAt: storage.indexes.path(of: file.key), of: file.key, format: IndexFiles.format)
        try await storage.catalogue.recordChange(of: file)
        try await symbols.reflectChanges(of: [file.image])
        return true
    }

    private func process(
        _ path: String, named name: String, options: UploadOptions, images: UpdatedImages
    ) async -> Result<[IntakeResult], IntakeError> {
        do {
            let folder = try storage.folders.newIncomingFolder()
            defer { storage.folders.remove(folder) }
            let lines = try await list(path, in: folder, named: name)
            let options = options.completed(with: lines.lazy.compactMap(\.build).first)
            let maps = try await keepSymbolMaps(in: lines, of: options.owner)
            let results =
                try await store(lines, folder: folder, options: options, images: images) + maps
            for result in results {
                let status = [("status", result.status.rawValue)]
                Counter(label: "symbolist_uploaded_files_total", dimensions: status).increment()
            }
            let now = storage.now
            try await storage.catalogue.add(
                results.compactMap { UploadRefusal($0, of: options, at: now) })
            return .success(results)
        } catch { return .failure(IntakeError(error)) }
    }

    private func list(
        _ path: String, in folder: String, named name: String
    ) async throws -> [ListingLine] {
        let contents = folder + "/contents"
        try DataFolders.make(contents)
        do {
            return try await storage.workers.list(path, into: contents, named: name)
        } catch .refused(let reason) {
            return [.refusal(name: name, reason: reason)]
        }
    }

    private func store(
        _ lines: [ListingLine], folder: String, options: UploadOptions, images: UpdatedImages
    ) async throws -> [IntakeResult] {
        try await storage.arrivingImages.containing(Set(lines.flatMap(\.images))) {
            if let build = options.build {
                try await record(lines, in: build, commit: options.commit)
            }
            return try await results(to: lines, folder: folder, options: options, images: images)
        }
    }

    /// Returns the results for the listed files, in their order.
    ///
    /// Files with debug information are processed first. Stripped copies of the same images are
    /// then duplicates that need not be read.
    private func results(
        to lines: [ListingLine], folder: String, options: UploadOptions, images: UpdatedImages
    ) async throws -> [IntakeResult] {
        var results = [[IntakeResult]](repeating: [], count: lines.count)
        var files: [(number: Int, file: ListedFile)] = []
        let companions = UploadCompanions(lines)
        for (number, line) in lines.enumerated() {
            switch line {
            case .refusal(let name, let reason):
                results[number] = [IntakeResult(rejecting: name, reason: reason)]
            case .full(let detail): throw StorageError.full(detail)
            case .build, .symbolMap: break
            case .file(let file) where file.isSplitUnits: break
            case .file(let file): files.append((number, file))
            }
        }
        for hasDebugInformation in [true, false] {
            let some = files.filter { $0.file.hasDebugInformation == hasDebugInformation }
            for (number, result) in try await self.results(
                to: some, with: companions, folder: folder, options: options, images: images)
            {
                results[number] = result
            }
        }
        try await useLate(companions, of: options.owner, in: folder, images: images)
        try await useSupplements(
            storedDuring: files.map(\.file), with: companions, of: options.owner, in: folder,
            images: images)
        let hasStored = results.contains { $0.contains { $0.status == .duplicate } }
        for (number, file) in companions.splitUnits {
            results[number] = file.slices.map {
                IntakeResult(
                    $0, of: file, readWith: companions.user(of: file), besideStored: hasStored)
            }
        }
        return results.flatMap(\.self)
    }

    /// Processes files, a limited number at a time.
    private func results(
        to files: [(number: Int, file: ListedFile)], with companions: UploadCompanions,
        folder: String, options: UploadOptions, images: UpdatedImages
    ) async throws -> [(Int, [IntakeResult])] {
        try await withThrowingTaskGroup(of: (Int, [IntakeResult]).self) { group in
            var results: [(Int, [IntakeResult])] = []
            for (position, (number, file)) in files.enumerated() {
                // Twice the number of workers: one file is flushed to disk while another is read.
                if position >= 2 * storage.settings.workerCount, let done = try await group.next() {
                    results.append(done)
                }
                let work = UploadedFileIntake(
                    intake: self, file: file, options: options, drafts: "\(folder)/\(number)",
                    arrived: images, companions: companions)
                group.addTask { (number, try await work.results()) }
            }
            for try await done in group { results.append(done) }
            return results
        }
    }

    /// Adds images with stored debug files to a build, as uploading the files would. This does not
    /// make the app an owner of them, and ignores files that the app may not use.
    ///
    /// - Parameter commit: The commit that the build was made from, if it is named.
    public func record(
        _ stored: Set<ImageID>, in build: Build, commit: SourceCommit? = nil
    ) async throws(IntakeError) {
        let access = DebugFileAccess.only(build.app)
        do {
            var images: [BuildImage] = []
            for image in stored {
                let files = try await storage.catalogue.debugFiles(of: image)
                for file in files where access.includes(file.owner) && !file.isOfSystem {
                    images.append(
                        BuildImage(
                            image: image, architecture: file.architecture,
                            name: imageName(ofDebugFile: file.name)))
                }
            }
            try await record(images, in: build, commit: commit)
        } catch { throw IntakeError(error) }
    }

    /// Records that stored images are part of a system, as uploading their files would.
    public func record(
        _ stored: Set<ImageID>, ofSystem system: SystemBuild
    ) async throws(IntakeError) {
        do { try await storage.catalogue.add(Array(stored), ofSystem: system) } catch {
            throw IntakeError(error)
        }
    }

    /// Adds the listed images to a build, even if their debug files are found to be unreadable.
    private func record(
        _ lines: [ListingLine], in build: Build, commit: SourceCommit?
    ) async throws {
        var images: [BuildImage] = []
        for case .file(let file) in lines {
            for slice in file.slices {
                // Apple system images are not part of an app.
                guard let image = slice.image, !slice.isOfSystem else { continue }
                images.append(
                    BuildImage(
                        image: image, architecture: slice.architecture,
                        name: imageName(ofDebugFile: file.name)))
            }
        }
        try await record(images, in: build, commit: commit)
    }

    private func record(
        _ images: [BuildImage], in build: Build, commit: SourceCommit?
    ) async throws {
        guard !images.isEmpty else { return }
        try await storage.catalogue.add(images, to: build, commit: commit, at: storage.now)
        symbols.add(appImages: images.map(\.image), of: build.app)
    }

    /// Returns the images with stored files from which no index could be built, because their blobs
    /// are missing or corrupt. They have to be uploaded again.
    public func unusable(
        among images: Set<ImageID>, for access: DebugFileAccess
    ) async -> Set<ImageID> {
        await symbols.unusable(among: images, for: access)
    }

    /// Returns the file name in a client's path as one line of bounded length, for responses and
    /// rows.
    static func shownName(_ name: String) -> String {
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
        let shown = shownPath(String(last)).unicodeScalars.filter {
            $0.properties.generalCategory != .control
        }
        return shown.isEmpty ? "upload" : String(String.UnicodeScalarView(shown.prefix(255)))
    }
}
