import CallStacks

@testable import MetricKitPayloads

extension ReceivedDiagnostic {
    /// Returns the innermost end of the received stacks, and the rule that decided it.
    func orientation(
        architectureOf: (ImageID) -> Architecture? = { _ in nil }
    ) -> Orientation {
        switch stacks {
        case .text: Orientation(.innermostFirst, rule: 0)
        case .tree(let tree): resolution(of: tree, architectureOf: architectureOf).orientation
        }
    }
}
