import HTMLText

/// The page on which users sign in with a token.
public struct SignInPage: Sendable {
    /// The path of the page that the user requested before signing in.
    public var returnPath: String
    /// The reason why the last attempt failed.
    public var problem: String?
    /// Whether the service has any tokens.
    public var needsToken = true

    public init(returnPath: String, problem: String? = nil) {
        self.returnPath = returnPath
        self.problem = problem
    }

    public func page(in context: PageContext) -> [UInt8] {
        PageShell(context, section: nil).page(title: "Sign in") { html in
            html.element("h1", text: "Sign in")
            guard needsToken else {
                return html.element(
                    "p", text: "This service has no tokens, so there is nothing to sign in to.")
            }
            html.element(
                "p",
                text:
                    "Use a token with the scope “read”. Tokens are in the settings of the service, "
                    + "under “auth.tokens”.")
            if let problem {
                html.element("p", [.class("warn"), HTMLAttribute("role", "alert")], text: problem)
            }
            writeForm(to: &html, context)
        }
    }

    private func writeForm(to html: inout HTMLWriter, _ context: PageContext) {
        html.element(
            "form",
            [
                .class("controls"), HTMLAttribute("method", "post"),
                .action(context.link("sign-in")),
            ]
        ) { html in
            html.void("input", [.type("hidden"), .name("return"), .value(returnPath)])
            // Password managers need a name under which they store a token.
            html.void(
                "input",
                [
                    .type("text"), .name("username"), .value("token"),
                    HTMLAttribute("autocomplete", "username"),
                    HTMLAttribute("hidden", isSet: true),
                ])
            html.element("label") { html in
                html.text("Token ")
                html.void(
                    "input",
                    [
                        .type("password"), .name("token"),
                        HTMLAttribute("autocomplete", "current-password"),
                        HTMLAttribute("required", isSet: true),
                    ])
            }
            html.element("button", text: "Sign in")
        }
    }
}
