import ArgumentParser
import CallStacks
import SymbolIntake

/// `symbolist intake`: the worker processes of the service, which read uploads under resource
/// limits. Only the service runs them, so their output may change with every version.
struct IntakeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "intake",
        abstract: "Process an upload in a worker process of the service.",
        shouldDisplay: false,
        subcommands: [List.self, Build.self, Index.self, Digest.self])

    /// The resource limits of a worker process, and its parent.
    struct Limits: ParsableArguments {
        @Option var memoryBytes: Int64
        @Option var mappedBytes: Int64
        @Option var processorSeconds: Int
        @Option var fileBytes: Int64
        @Option var unpackedBytes: Int64
        @Option var threads: Int
        @Option var parent: Int32

        func apply() throws {
            var limits = UploadWorkerLimits()
            limits.memoryBytes = memoryBytes
            limits.processorSeconds = processorSeconds
            limits.fileBytes = fileBytes
            try limits.apply(parent: parent, mappedBytes: mappedBytes)
        }
    }

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", shouldDisplay: false)

        @Argument var bundle: String
        @Argument var folder: String
        @Option var name: String
        @OptionGroup var limits: Limits

        func run() throws {
            try limits.apply()
            ListingJob(
                bundle: bundle, folder: folder, name: name,
                unpackedBytesLimit: limits.unpackedBytes
            ).run { Console.result($0) }
        }
    }

    struct Build: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "build", shouldDisplay: false)

        @Argument var files: [String]
        @OptionGroup var limits: Limits

        func run() throws {
            try limits.apply()
            Console.result(ListingJob.buildLine(ofFilesAt: files))
        }
    }

    struct Index: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "index", shouldDisplay: false)

        @Argument var file: String
        @Argument var uuid: String
        @Argument var arch: String
        @Argument var output: String
        @Option var blob: String?
        @Option var digest: String?
        @Option var inflate: String?
        @Option var symbolMaps: String?
        @Option var companions: String?
        @Option var companionsFolder: String?
        @Option var companionsOutput: String?
        @Flag var companionsRequired = false
        @OptionGroup var limits: Limits

        func run() async throws {
            try limits.apply()
            guard let image = ImageID(uuid), let source = source else {
                throw ValidationError("is reserved for the service")
            }
            let job = IndexingJob(
                file: file, byteCount: limits.mappedBytes, source: source, image: image,
                architecture: arch, output: output, threads: limits.threads,
                symbolMaps: symbolMaps, companions: joining)
            Console.result(await job.run())
        }

        private var joining: CompanionsJob? {
            guard let companions, let companionsFolder, let companionsOutput else { return nil }
            return CompanionsJob(
                list: companions, folder: companionsFolder, output: companionsOutput,
                areRequired: companionsRequired)
        }

        private var source: IndexingJob.Source? {
            if let blob { return .upload(blob: blob) }
            if let digest { return .known(digest: digest) }
            return inflate.map { .blob(inflated: $0) }
        }
    }

    struct Digest: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "digest", shouldDisplay: false)

        @Argument var file: String
        @OptionGroup var limits: Limits

        func run() throws {
            try limits.apply()
            Console.result(try IndexingJob.digestLine(ofFileAt: file))
        }
    }
}
