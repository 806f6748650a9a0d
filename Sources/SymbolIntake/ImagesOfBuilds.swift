import CallStacks

/// The images of apps' own bundles, as their builds told them.
struct ImagesOfBuilds {
    private var byApp: [String: Set<ImageID>]
    /// Of all apps together.
    private var all: Set<ImageID>

    init(byApp: [String: Set<ImageID>] = [:]) {
        self.byApp = byApp
        all = byApp.values.reduce(into: []) { $0.formUnion($1) }
    }

    mutating func add(_ images: [ImageID], of app: String) {
        byApp[app, default: []].formUnion(images)
        all.formUnion(images)
    }

    /// The images of the app that an access prefers. An app without builds may report under another
    /// name than it is uploaded as, so an access to everything then has the images of all apps.
    func images(for access: SymbolAccess) -> Set<ImageID> {
        if let app = access.preferredOwner.app, let images = byApp[app] { return images }
        return access.boundApp == nil ? all : []
    }
}
