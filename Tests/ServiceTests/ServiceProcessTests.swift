import TestSupport
import Testing

/// The service as its users run it: the executable as a process, addressed over the network.
///
/// Tests run one after another, because each has a service with child processes, and CI machines
/// have few processors.
@Suite("The service as a process", .ownThreads, .serialized)
struct ServiceProcessTests {}
