import Testing

/// The service as its users run it: the executable as a process, addressed over the network.
///
/// One test after the other: each has a service with children of its own, and a machine of a CI has
/// few processors.
@Suite("The service as a process", .serialized)
struct ServiceProcessTests {}
