public import CallStacks

extension CrashReport {
    /// Sets the identities of images that have none to those supplied by the user. MetricKit
    /// reports have an identity for each image.
    ///
    /// - Parameter identities: The identities by image name.
    package mutating func identify(by identities: [String: ImageID]) {
        for index in repetitions.indices { repetitions[index].identify(by: identities) }
        guard !identities.isEmpty, case .resolved(var diagnostic) = content else { return }
        diagnostic.identify(by: identities)
        content = .resolved(diagnostic)
    }
}

extension CrashReport {
    /// Sets the identities of images to those of the files at the paths in the report.
    ///
    /// The files may belong to another build than the one that ran, so each frame in these images
    /// gets a remark.
    ///
    /// - Parameter found: The identities by elements of ``images``.
    public mutating func identify(unchecked found: [ListedImage: ImageID]) {
        guard !found.isEmpty, case .resolved(var diagnostic) = content else { return }
        diagnostic.identify(unchecked: found)
        content = .resolved(diagnostic)
    }
}

extension Diagnostic {
    /// A program may have several paths in a report: `./cellar` and `/src/cellar`. They are taken
    /// for the same file unless two files with that name are known.
    fileprivate mutating func identify(unchecked found: [ListedImage: ImageID]) {
        var named: [String: Set<ImageID>] = [:]
        for image in images {
            guard let name = image.name, let id = image.id ?? found[image] else { continue }
            named[name, default: []].insert(id)
        }
        for index in images.indices where images[index].id == nil {
            let others = images[index].name.flatMap { named[$0] } ?? []
            images[index].id = found[images[index]] ?? (others.count == 1 ? others.first : nil)
        }
        let loaded = identitiesByLoadAddress
        for index in tree.frames.indices where tree.frames[index].image == nil {
            guard let name = tree.frames[index].imageName, let ids = named[name] else { continue }
            // Two files with one name are distinguished by where they were loaded.
            let own = tree.frames[index].loadAddress.flatMap { loaded[$0]?[name] } ?? []
            let id = [ids, own].first { $0.count == 1 }?.first
            let remark = id == nil ? Remark.identityContradicted : .identityUnchecked
            tree.frames[index].image = id
            tree.frames[index].remarks.removeAll { $0 == .noUUID }
            tree.frames[index].remarks.append(remark)
            remarks.add(remark)
        }
    }

    /// The identities of the listed images, by load address and name.
    private var identitiesByLoadAddress: [RuntimeAddress: [String: Set<ImageID>]] {
        var identities: [RuntimeAddress: [String: Set<ImageID>]] = [:]
        for image in images {
            guard let base = image.base, let name = image.name, let id = image.id else { continue }
            identities[base, default: [:]][name, default: []].insert(id)
        }
        return identities
    }

    fileprivate mutating func identify(by identities: [String: ImageID]) {
        images.identify(by: identities)
        // A frame's image name may be shorter than the one in the list.
        let placed = images.compactMap { image in image.base.map { ($0, image.id) } }
        let bases = Dictionary(placed) { first, _ in first }
        var unlisted: [String: ImageID] = [:]
        // For an image at a fixed address, offsets are computed with the file.
        let countsLinks = tree.offsetOrigin == .link
        for index in tree.frames.indices
        where tree.frames[index].image == nil && (tree.frames[index].site != nil || countsLinks) {
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
    /// Replaces identities in the report with supplied ones, for a program that was rebuilt.
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
            remarks.add(.identityOverridden)
        }
    }
}

extension Diagnostic {
    /// Removes the identities of frames in images that are listed at one address with several
    /// identities, because nothing shows which of them is right.
    mutating func removeContradictedIdentities() {
        var listed: [RuntimeAddress: Set<ImageID>] = [:]
        for image in images {
            guard let base = image.base, base.rawValue > 0, let id = image.id else { continue }
            listed[base, default: []].insert(id)
        }
        listed = listed.filter { $0.value.count > 1 }
        guard !listed.isEmpty else { return }
        for index in tree.frames.indices {
            guard let id = tree.frames[index].image, let base = tree.frames[index].loadAddress,
                listed[base]?.contains(id) == true
            else { continue }
            tree.frames[index].image = nil
            tree.frames[index].remarks.append(.identityContradicted)
        }
    }
}

extension [ListedImage] {
    /// Sets the identities of images that have none to those from other parts of the report.
    mutating func identify(by known: [String: ImageID]) {
        guard !known.isEmpty else { return }
        for index in indices where self[index].id == nil {
            self[index].id = self[index].name.flatMap { known[$0] }
        }
    }

    /// Lists images known only by name and identity.
    mutating func add(unlisted known: [String: ImageID]) {
        for (name, id) in known.sorted(by: { $0.key < $1.key })
        where !contains(where: { $0.id == id || $0.name == name }) {
            append(ListedImage(id: id, name: name))
        }
    }
}
