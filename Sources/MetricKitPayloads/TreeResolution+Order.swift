import CallStacks

extension TreeResolution {
    /// For each frame of ``callStackTree`` the frame that it was received as.
    var order: [Int] {
        tree.stacks.flatMap { stack in
            keepsOrder(stack) ? Array(stack.frames) : paths(of: stack).flatMap { $0 }
        }
    }

    /// What the tree says of frames, by those of ``callStackTree``.
    var given: [Int: [GivenFunction]] {
        var given: [Int: [GivenFunction]] = [:]
        for (index, received) in order.enumerated() {
            given[index] = tree.given[received]
        }
        return given
    }
}
