import CallStacks

extension CrashReport {
    /// Gives images without an identity the one that a person knows of them. Reports of MetricKit have
    /// one for each image.
    ///
    /// - Parameter identities: By the names of images.
    mutating func identify(by identities: [String: ImageID]) {
        guard !identities.isEmpty, case .resolved(var diagnostic) = content else { return }
        diagnostic.identify(by: identities)
        content = .resolved(diagnostic)
    }
}

extension Diagnostic {
    fileprivate mutating func identify(by identities: [String: ImageID]) {
        images.identify(by: identities)
        // A frame may have a shorter name than its image in the list.
        let placed = images.compactMap { image in image.base.map { ($0, image.id) } }
        let bases = Dictionary(placed) { first, _ in first }
        var unlisted: [String: ImageID] = [:]
        for index in tree.frames.indices where tree.frames[index].isUnidentified {
            let frame = tree.frames[index]
            let listed = frame.loadAddress.flatMap { bases[$0] ?? nil }
            guard let id = listed ?? frame.imageName.flatMap({ identities[$0] }) else { continue }
            if listed == nil, let name = frame.imageName { unlisted[name] = id }
            tree.frames[index].image = id
            tree.frames[index].remarks.removeAll { $0 == .noUUID }
        }
        images.add(unlisted: unlisted)
    }
}

extension Diagnostic {
    /// Gives images the identities that a person knows of them, in place of those that the report states:
    /// the program was built again.
    mutating func replaceIdentities(by overrides: [String: ImageID]) {
        guard !overrides.isEmpty else { return }
        var replaced: [ImageID: ImageID] = [:]
        for index in images.indices {
            guard let id = images[index].name.flatMap({ overrides[$0] }) else { continue }
            if let stated = images[index].id { replaced[stated] = id }
            images[index].id = id
        }
        for index in tree.frames.indices {
            guard let stated = tree.frames[index].image else { continue }
            let named = tree.frames[index].imageName.flatMap { overrides[$0] }
            guard let id = replaced[stated] ?? named, id != stated else { continue }
            tree.frames[index].image = id
            remarks.note(.identityOverridden)
        }
    }
}

extension CallFrame {
    /// Whether nothing but the identity of its image is missing.
    fileprivate var isUnidentified: Bool { image == nil && site != nil }
}

extension [ReportedImage] {
    /// Gives images without an identity the one that is known from elsewhere.
    mutating func identify(by known: [String: ImageID]) {
        guard !known.isEmpty else { return }
        for index in indices where self[index].id == nil {
            self[index].id = self[index].name.flatMap { known[$0] }
        }
    }

    /// Lists images of which only name and identity are known.
    mutating func add(unlisted known: [String: ImageID]) {
        for (name, id) in known.sorted(by: { $0.key < $1.key })
        where !contains(where: { $0.id == id || $0.name == name }) {
            append(ReportedImage(id: id, name: name))
        }
    }
}
