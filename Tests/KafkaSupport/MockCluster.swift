import Foundation
import Synchronization
import TestSupport

/// librdkafka's mock cluster: brokers of this process, with groups, on local ports.
///
/// The brokers are of the library in the package confluent-kafka, which `Scripts/install-peers`
/// installs: those of the distribution's version end the process at some rebalances. Clients use
/// the distribution's version all the same.
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
        let set:
            @convention(c) (
                OpaquePointer?, UnsafePointer<CChar>, UnsafePointer<CChar>,
                UnsafeMutablePointer<CChar>, Int
            ) -> Int32 = unsafe try Self.function("rd_kafka_conf_set")
        var reason = [CChar](repeating: 0, count: 256)
        let configuration = unsafe newConfiguration()
        // A warning, because the brokers' own client connects to none.
        _ = unsafe set(configuration, "log_level", "3", &reason, reason.count)
        guard let client = unsafe newClient(0, configuration, &reason, reason.count),
            let cluster = unsafe newCluster(client, brokerCount)
        else { throw Failure(description: "the mock cluster did not start") }
        unsafe self.cluster = cluster
        brokers = unsafe String(cString: bootstraps(cluster))
        Self.all.withLock { $0.append(self) }
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
        let path = try libraryPath.get()
        // The other version that the process loads has the same symbols.
        guard let library = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND),
            let address = unsafe dlsym(library, name)
        else {
            let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? ""
            throw Failure(description: "\(path): \(name): \(reason)")
        }
        return unsafe unsafeBitCast(address, to: Function.self)
    }

    private static let libraryPath = Result { () throws -> String in
        let packages = projectFolder.appendingPathComponent(".build-peers/lib")
        let files = FileManager.default.enumerator(at: packages, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            if file.lastPathComponent.hasPrefix("librdkafka-") { return file.path }
        }
        throw Failure(description: "\(packages.path): no librdkafka: run Scripts/install-peers")
    }
}
