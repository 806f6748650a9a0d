import Glibc

/// A shared library that is loaded when the program runs.
@safe
public struct SharedLibrary<Failure: Error> {
    private let handle: UnsafeMutableRawPointer
    private let failure: (String) -> Failure

    /// - Parameter failure: Returns the error with the reason of the dynamic linker.
    public init(path: String, failure: @escaping (String) -> Failure) throws(Failure) {
        guard let handle = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            throw failure(loadingFailure)
        }
        unsafe self.handle = handle
        self.failure = failure
    }

    /// Returns a function of the library.
    ///
    /// The caller must request the type that the library's header declares, which nothing checks.
    ///
    /// - Throws: The error of the initializer if an older library lacks the function.
    @unsafe
    public func function<Function>(_ name: String) throws(Failure) -> Function {
        guard let address = unsafe dlsym(handle, name) else { throw failure(loadingFailure) }
        return unsafe unsafeBitCast(address, to: Function.self)
    }
}

/// The text of this thread's last failure.
private var loadingFailure: String {
    guard let text = unsafe dlerror() else { return "it cannot be loaded" }
    return unsafe String(cString: text)
}
