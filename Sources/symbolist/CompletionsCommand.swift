import ArgumentParser

/// `symbolist completions`: prints a shell's completion script for commands, options and files.
struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print a shell completion script.",
        discussion: """
            Examples:
              symbolist completions bash > symbolist.bash
              symbolist completions fish > symbolist.fish
            """)

    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish

        fileprivate var completed: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    @Argument(help: "The shell to print it for.")
    var shell: Shell

    func run() {
        Console.result(Symbolist.completionScript(for: shell.completed) + "\n")
    }
}
