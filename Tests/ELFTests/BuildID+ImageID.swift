import CallStacks
import ELF

extension BuildID {
    var imageID: ImageID? {
        guard case .present(let id) = self else { return nil }
        return id
    }
}
