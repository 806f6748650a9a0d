import Glibc

/// The descriptors of standard input, output and error.
enum StandardDescriptors {
    /// Opens those that the caller closed, so that no other file gets their numbers. Messages of
    /// the run would otherwise be written to that file, and reading from standard input might never
    /// end.
    ///
    /// Standard input then has no content, a result cannot be written, and messages are discarded.
    static func openClosed() {
        for descriptor in STDIN_FILENO...STDERR_FILENO
        where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            // The lowest free number is used, which is this one.
            _ = open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
