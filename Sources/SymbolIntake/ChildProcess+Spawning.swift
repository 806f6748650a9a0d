import CChildProcess
import Foundation
import Glibc

extension ChildProcess {
    /// Starts the program with nothing of this process but the two pipes.
    ///
    /// - Returns: 0, or an `errno`.
    func spawn(_ process: inout pid_t, output: Int32, complaints: Int32) -> Int32 {
        let words = [executable] + arguments
        return unsafe withCStrings(words) { words in
            unsafe withCStrings(Self.environment) { environment in
                unsafe symbolist_spawn(
                    &process, executable, words, environment, output, complaints)
            }
        }
    }

    /// Nothing of ours but where libraries lie: secrets of the service may stand in the rest.
    private static var environment: [String] {
        // A backtrace of a child that a hostile file crashed tells nobody anything, and takes longer
        // than the file.
        var environment = ["SWIFT_BACKTRACE=enable=no", "PATH=/usr/bin:/bin"]
        if let path = ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] {
            environment.append("LD_LIBRARY_PATH=\(path)")
        }
        return environment
    }
}

/// Calls `body` with texts as C has them, in an array that ends with a null pointer.
private func withCStrings<Result>(
    _ texts: [String],
    _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers = unsafe texts.map { unsafe strdup($0) }
    unsafe pointers.append(nil)
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress!) }
}
