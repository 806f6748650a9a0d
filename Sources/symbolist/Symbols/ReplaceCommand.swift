import ArgumentParser

extension SymbolsCommand {
    /// `symbolist symbols replace`: uploads a build and replaces earlier files of the same app and
    /// images.
    struct Replace: AsyncParsableCommand {
        /// The words of the command line.
        static let words = ["symbols", "replace"]

        static let configuration = CommandConfiguration(
            commandName: "replace",
            abstract: "Upload debug files in place of earlier ones.",
            discussion: """
                Sends all files, like upload --force, and replaces the app's earlier files of the \
                same images even if those are as good. Without this command, the server keeps the \
                better file. Files of other apps are never replaced.

                Examples:
                  symbolist symbols replace Orchard.xcarchive
                  symbolist symbols replace dSYMs --app ID --version 1.4.0 --build 2107
                """)

        @OptionGroup var options: BuildUploadOptions

        func run() async throws {
            try await BuildUpload(options: options, selection: .replacing).run()
        }
    }
}
