public import Symbolication

extension StoredSymbolIndexes {
    /// Returns a factory of symbolicators that use the files and builds of an access.
    ///
    /// - Parameter rules: The configured rules; ``Symbolication/InAppRules/images`` are added.
    public func symbolicators(
        rules: InAppRules = InAppRules()
    ) -> @Sendable (DebugFileAccess) -> Symbolicator {
        let symbolicator = Symbolicator(provider: provider(for: .everything))
        return { access in
            symbolicator.reading(from: self.provider(for: access)) {
                var rules = rules
                rules.images = self.appImages(for: access)
                return rules
            }
        }
    }
}
