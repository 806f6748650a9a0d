import Glibc
import Synchronization

/// librdkafka's mock cluster: brokers of this process, with groups, on local ports.
@safe
public final class MockCluster: @unchecked Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The addresses of the brokers.
    public let brokers: String
    private let cluster: OpaquePointer

    /// Clusters last until the process ends, because clients may use them until then.
    private static let all = Mutex<[MockCluster]>([])

    /// - Parameter brokerCount: The number of brokers, with the numbers 1, 2 and so on.
    public init(brokerCount: Int32 = 1) throws {
        let newConfiguration: @convention(c) () -> OpaquePointer? = unsafe try Self.function(
            "rd_kafka_conf_new")
        let newClient:
            @convention(c) (Int32, OpaquePointer?, UnsafeMutablePointer<CChar>, Int) ->
                OpaquePointer? = unsafe try Self.function("rd_kafka_new")
        let newCluster: @convention(c) (OpaquePointer, Int32) -> OpaquePointer? =
            unsafe try Self.function("rd_kafka_mock_cluster_new")
        let bootstraps: @convention(c) (OpaquePointer) -> UnsafePointer<CChar> =
            unsafe try Self.function("rd_kafka_mock_cluster_bootstraps")
        var reason = [CChar](repeating: 0, count: 256)
        guard let client = unsafe newClient(0, newConfiguration(), &reason, reason.count),
            let cluster = unsafe newCluster(client, brokerCount)
        else { throw Failure(description: "the mock cluster did not start") }
        unsafe self.cluster = cluster
        brokers = unsafe String(cString: bootstraps(cluster))
        Self.all.withLock { $0.append(self) }
    }

    /// Whether a group may have several members. In older versions, a rebalance can end the process.
    public static var hasRebalances: Bool {
        guard let version: @convention(c) () -> Int32 = unsafe try? function("rd_kafka_version")
        else { return true }
        return version() >= 0x02_01_00_00
    }

    public func createTopic(_ name: String, partitionCount: Int32) throws {
        let create: @convention(c) (OpaquePointer, UnsafePointer<CChar>, Int32, Int32) -> Int32 =
            unsafe try Self.function("rd_kafka_mock_topic_create")
        let code = unsafe create(cluster, name, partitionCount, 1)
        guard code == 0 else { throw Failure(description: "topic \(name): error \(code)") }
    }

    /// Closes a broker's connections and port, or opens them again.
    public func setBroker(_ number: Int32 = 1, isUp: Bool) throws {
        let change: @convention(c) (OpaquePointer, Int32) -> Int32 = unsafe try Self.function(
            isUp ? "rd_kafka_mock_broker_set_up" : "rd_kafka_mock_broker_set_down")
        let code = unsafe change(cluster, number)
        guard code == 0 else { throw Failure(description: "broker \(number): error \(code)") }
    }

    /// Makes the next requests of a kind fail.
    ///
    /// - Parameter key: The number of the kind in the protocol, such as 0 for `Produce`.
    public func failRequests(_ key: Int16, with errors: [Int32]) throws {
        let push: @convention(c) (OpaquePointer, Int16, Int, UnsafePointer<Int32>) -> Void =
            unsafe try Self.function("rd_kafka_mock_push_request_errors_array")
        unsafe push(cluster, key, errors.count, errors)
    }

    @unsafe
    private static func function<Function>(_ name: String) throws -> Function {
        guard let library = unsafe dlopen("librdkafka.so.1", RTLD_NOW),
            let address = unsafe dlsym(library, name)
        else { throw Failure(description: "\(name): run Scripts/install --tests") }
        return unsafe unsafeBitCast(address, to: Function.self)
    }
}
