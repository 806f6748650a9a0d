import ArgumentParser

extension SymbolsCommand {
    /// `symbolist symbols replace`: the debug files of a build in place of those that its app uploaded
    /// before.
    struct Replace: AsyncParsableCommand {
        /// As they are on the command line.
        static let words = ["symbols", "replace"]

        static let configuration = CommandConfiguration(
            commandName: "replace",
            abstract: "Put debug files in place of those that an app uploaded before.",
            discussion: """
                Sends everything, like upload --force, and the server keeps it in place of the app's \
                own files of the same images, even if those know as much. Without this command the \
                better one stays. What other apps uploaded of the same images stays in any case.

                Examples:
                  symbolist symbols replace Orchard.xcarchive
                  symbolist symbols replace dSYMs --app com.example.orchard --version 1.4.0 --build 2107
                """)

        @OptionGroup var upload: UploadCommand

        func run() async throws { try await upload.run(replacing: true) }
    }
}
