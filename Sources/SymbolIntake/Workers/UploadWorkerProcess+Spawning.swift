import CChildProcess
import Foundation
import Glibc

extension UploadWorkerProcess {
    /// Starts the program, which inherits only the two pipes.
    ///
    /// - Returns: 0, or the `errno` of the failure.
    func spawn(_ process: inout pid_t, output: Int32, errorPipe: Int32) -> Int32 {
        let words = [executable] + arguments
        return unsafe withCStrings(words) { words in
            unsafe withCStrings(Self.environment) { environment in
                unsafe symbolist_spawn(
                    &process, executable, words, environment, output, errorPipe)
            }
        }
    }

    /// The environment of the worker. Only the library path is passed on, because other variables
    /// may contain secrets of the service.
    private static var environment: [String] {
        // When a hostile file crashes a worker, a backtrace is useless and slow.
        var environment = ["SWIFT_BACKTRACE=enable=no", "PATH=/usr/bin:/bin"]
        if let path = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] {
            environment.append("LD_LIBRARY_PATH=\(path)")
        }
        return environment
    }
}

/// Calls `body` with strings as C strings, in an array that ends with a null pointer.
private func withCStrings<Result>(
    _ texts: [String],
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers = unsafe texts.map { unsafe strdup($0) }
    unsafe pointers.append(nil)
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress!) }
}
