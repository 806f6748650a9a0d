public import Symbolication

extension StoredSymbols {
    /// Makes symbolicators that use the files and know the builds of an access.
    ///
    /// - Parameter rules: Those of the configuration; ``Symbolication/InAppRules/images`` are added.
    public func symbolicators(
        rules: InAppRules = InAppRules()
    ) -> @Sendable (SymbolAccess) -> Symbolicator {
        let symbolicator = Symbolicator(provider: seen(by: .everything))
        return { access in
            symbolicator.reading(from: self.seen(by: access)) {
                var rules = rules
                rules.images = self.imagesOfBuilds(for: access)
                return rules
            }
        }
    }
}
