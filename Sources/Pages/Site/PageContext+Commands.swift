import StackRendering

/// The commands that send files to the service. `TOKEN` is a placeholder, like `PATH`.
extension PageContext {
    /// Returns the command that uploads the symbols of a build.
    func uploadCommand(app: String?, version: String?, build: String?) -> String {
        var words = upload(["PATH"])
        // The command needs all three options or none.
        if let app, let version, let build {
            words += [
                "--app", shellWord(app), "--version", shellWord(version), "--build",
                shellWord(build),
            ]
        }
        return words.joined(separator: " ")
    }

    /// The command that uploads the symbols of a system.
    var systemUploadCommand: String { upload(["--system", "PATH"]).joined(separator: " ") }

    /// The command that sends a MetricKit payload.
    var payloadCommand: String {
        let authorization = needsToken ? ["-H", "'Authorization: Bearer TOKEN'"] : []
        let words = ["curl"] + authorization + ["--data-binary", "@payload.json"]
        return (words + [shellWord(serverURL + "/v1/metrickit")]).joined(separator: " ")
    }

    /// The token is in the environment, because process lists show arguments.
    private func upload(_ arguments: [String]) -> [String] {
        (needsToken ? ["SYMBOLIST_TOKEN=TOKEN"] : []) + ["symbolist", "upload"] + arguments
            + ["--server", shellWord(serverURL)]
    }
}
