/// An error that is described by a ``Problem``.
public protocol DescribedError: Error, CustomStringConvertible {
    var problem: Problem { get }
}

extension DescribedError {
    public var description: String { problem.description }
}

extension Problem {
    /// Creates the problem of an error. The text of a library's error becomes the detail.
    public init(_ error: any Error) {
        self = (error as? any DescribedError)?.problem ?? Problem(detail: "\(error)")
    }
}
