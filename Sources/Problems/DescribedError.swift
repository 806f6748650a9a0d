/// An error that is described by a ``Problem``.
public protocol DescribedError: Error, CustomStringConvertible {
    var problem: Problem { get }
}

extension DescribedError {
    public var description: String { problem.description }
}

extension Problem {
    /// The problem of an error. Errors of libraries have a text only.
    public init(_ error: any Error) {
        self = (error as? any DescribedError)?.problem ?? Problem(detail: "\(error)")
    }
}
