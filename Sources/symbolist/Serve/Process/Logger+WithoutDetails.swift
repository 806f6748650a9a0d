import Logging

extension Logger {
    /// A logger without lines below `info`.
    ///
    /// At lower levels, a service group writes all stored values of its services, which include the
    /// headers and passwords of exporters.
    var withoutDetails: Self {
        var logger = self
        logger.logLevel = max(logLevel, .info)
        return logger
    }
}
