import CallStacks

/// The images in each app's own bundles, as listed by its uploaded builds.
struct AppImages {
    private var byApp: [String: Set<ImageID>]
    /// The images of all apps.
    private var all: Set<ImageID>

    init(byApp: [String: Set<ImageID>] = [:]) {
        self.byApp = byApp
        all = byApp.values.reduce(into: []) { $0.formUnion($1) }
    }

    mutating func add(_ images: [ImageID], of app: String) {
        byApp[app, default: []].formUnion(images)
        all.formUnion(images)
    }

    /// Returns the images of the preferred app. If that app has no builds, its diagnostics may use
    /// a different name than its uploads, so an access to everything gets the images of all apps.
    func images(for access: DebugFileAccess) -> Set<ImageID> {
        if let app = access.preferredOwner.app, let images = byApp[app] { return images }
        return access.boundApp == nil ? all : []
    }
}
