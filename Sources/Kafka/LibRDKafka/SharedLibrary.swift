import Glibc

/// A shared library that is loaded when the program runs.
@safe
struct SharedLibrary {
    private let handle: UnsafeMutableRawPointer

    /// - Throws: ``KafkaError`` with the reason `libraryUnavailable` and the text of the dynamic
    ///   linker.
    init(path: String) throws(KafkaError) {
        guard let handle = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            throw .libraryUnavailable(Self.reason)
        }
        unsafe self.handle = handle
    }

    /// Returns a function of the library.
    ///
    /// The caller must request the type that the library's header declares, which nothing checks.
    ///
    /// - Throws: ``KafkaError`` with the reason `libraryUnavailable` if an older library lacks the
    ///   function.
    @unsafe
    func function<Function>(_ name: String) throws(KafkaError) -> Function {
        guard let address = unsafe dlsym(handle, name) else {
            throw .libraryUnavailable(Self.reason)
        }
        return unsafe unsafeBitCast(address, to: Function.self)
    }

    /// The text of this thread's last failure.
    private static var reason: String {
        guard let text = unsafe dlerror() else { return "it cannot be loaded" }
        return unsafe String(cString: text)
    }
}
