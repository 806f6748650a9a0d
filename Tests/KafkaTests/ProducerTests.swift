import Foundation
import KafkaSupport
import Problems
import Synchronization
import TestSupport
import Testing

@testable import Kafka

@Suite("Producing")
struct ProducerTests {
    @Test("a message is acknowledged")
    func acknowledged() async throws {
        let cluster = try MockCluster()
        try cluster.createTopic("otlp_logs", partitionCount: 2)
        let producer = try Producer(KafkaSettings(brokers: cluster.brokers))
        try await producer.send(
            OutgoingMessage(
                topic: "otlp_logs", value: [1, 2, 3], header: .init(name: "app", value: "shop")))
        #expect(producer.isReachable)
        await producer.close(within: .seconds(5))
    }

    @Test("a message larger than the limit is refused")
    func tooLarge() async throws {
        let cluster = try MockCluster()
        var limits = ProducerLimits()
        limits.messageBytes = 1_000
        let producer = try Producer(KafkaSettings(brokers: cluster.brokers), limits: limits)
        let message = OutgoingMessage(
            topic: "otlp_logs", value: [UInt8](repeating: 1, count: 2_000))
        let error = await #expect(throws: KafkaError.self) { try await producer.send(message) }
        #expect(error?.reason == .messageRefused)
        #expect(
            error?.description == """
                kafka \(cluster.brokers): topic 'otlp_logs': Broker: Message size too large: raise \
                'max.message.bytes' of the topic, or reduce batch.bytes
                """)
        await producer.close(within: .zero)
    }

    @Test("a topic without rights is refused, with the next step")
    func unauthorized() async throws {
        let cluster = try MockCluster()
        try cluster.createTopic("otlp_logs", partitionCount: 1)
        // TOPIC_AUTHORIZATION_FAILED for Produce.
        try cluster.failRequests(0, with: [29])
        let producer = try Producer(KafkaSettings(brokers: cluster.brokers))
        let error = await #expect(throws: KafkaError.self) {
            try await producer.send(OutgoingMessage(topic: "otlp_logs", value: [1]))
        }
        #expect(error?.reason == .topicRefused)
        #expect(
            error?.problem.suggestion == "check the user, its password and its rights on the topic")
        await producer.close(within: .zero)
    }

    @Test("without a broker, a message fails within its time limit")
    func unreachable() async throws {
        var limits = ProducerLimits()
        limits.timeout = .milliseconds(500)
        let address = "127.0.0.1:\(try freePort())"
        let producer = try Producer(KafkaSettings(brokers: address), limits: limits)
        let error = await #expect(throws: KafkaError.self) {
            try await producer.send(OutgoingMessage(topic: "otlp_logs", value: [1]))
        }
        #expect(error?.reason == .unavailable)
        #expect(error?.problem.subject == "kafka \(address): topic 'otlp_logs'")
        #expect(error?.problem.detail.hasPrefix("no acknowledgement within 0.5 seconds") == true)
        #expect(await eventually { !producer.isReachable })
        await producer.close(within: .zero)
    }

    @Test("beyond the queue's limit, messages are refused at once")
    func queueFull() async throws {
        var limits = ProducerLimits()
        limits.queueBytes = 4 << 10
        limits.timeout = .seconds(60)
        let producer = try Producer(
            KafkaSettings(brokers: "127.0.0.1:\(try freePort())"), limits: limits)
        let message = OutgoingMessage(
            topic: "otlp_logs", value: [UInt8](repeating: 1, count: 3_000))
        let reasons = await withTaskGroup(of: KafkaError.Reason?.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    do throws(KafkaError) { try await producer.send(message) } catch {
                        return error.reason
                    }
                    return nil
                }
            }
            let first = await group.next()
            // The others wait in the queue until it is closed.
            await producer.close(within: .zero)
            return await group.reduce(into: [first ?? nil]) { $0.append($1) }
        }
        #expect(reasons.contains(.queueFull))
        #expect(reasons.contains(.closed))
    }

    @Test("a cancelled task no longer waits for the acknowledgement")
    func cancelled() async throws {
        var limits = ProducerLimits()
        limits.timeout = .seconds(600)
        let producer = try Producer(
            KafkaSettings(brokers: "127.0.0.1:\(try freePort())"), limits: limits)
        let task = Task {
            try await producer.send(OutgoingMessage(topic: "otlp_logs", value: [1]))
        }
        task.cancel()
        let error = await #expect(throws: KafkaError.self) { try await task.value }
        #expect(error?.reason == .closed)
        await producer.close(within: .zero)
    }

    @Test("a message sent while the only broker is down arrives when it is up again")
    func outage() async throws {
        let cluster = try MockCluster()
        try cluster.createTopic("otlp_logs", partitionCount: 1)
        var limits = ProducerLimits()
        limits.timeout = .seconds(60)
        let producer = try Producer(KafkaSettings(brokers: cluster.brokers), limits: limits)
        try await producer.send(OutgoingMessage(topic: "otlp_logs", value: [1]))
        try cluster.setBroker(isUp: false)
        let task = Task {
            try await producer.send(OutgoingMessage(topic: "otlp_logs", value: [2]))
        }
        #expect(await eventually { !producer.isReachable })
        try cluster.setBroker(isUp: true)
        try await task.value
        #expect(producer.isReachable)
        await producer.close(within: .zero)
    }

    @Test("after a fatal error, the next message is produced by a new client")
    func fatal() async throws {
        let cluster = try MockCluster()
        try cluster.createTopic("otlp_logs", partitionCount: 1)
        // CLUSTER_AUTHORIZATION_FAILED for InitProducerId.
        try cluster.failRequests(22, with: [31])
        let producer = try Producer(KafkaSettings(brokers: cluster.brokers))
        let error = await #expect(throws: KafkaError.self) {
            try await producer.send(OutgoingMessage(topic: "otlp_logs", value: [1]))
        }
        #expect(error?.reason == .clientFailed)
        try await producer.send(OutgoingMessage(topic: "otlp_logs", value: [2]))
        await producer.close(within: .seconds(5))
    }

    @Test("a producer that is dropped ends its client")
    func dropped() async throws {
        let address = "127.0.0.1:\(try freePort())"
        var producer: Producer? = try Producer(KafkaSettings(brokers: address))
        weak let client = producer?.client.withLock { $0 }
        #expect(client != nil)
        producer = nil
        #expect(await eventually { client == nil })
    }

    @Test("the certificate has to be of the broker's host, unless any is accepted")
    func hostNames() throws {
        var settings = KafkaSettings(brokers: "kafka:9093")
        settings.security = .ssl
        let property = "ssl.endpoint.identification.algorithm"
        #expect(try settings.connectionProperties()[property] == "https")
        settings.acceptsAnyCertificate = true
        #expect(try settings.connectionProperties()[property] == "none")
        settings.security = .plaintext
        #expect(try settings.connectionProperties()[property] == nil)
    }

    @Test("an error of a file names its setting and the cause")
    func unreadableFiles() throws {
        var settings = KafkaSettings(brokers: "kafka:9093")
        settings.security = .ssl
        settings.authoritiesFile = "/none/ca.pem"
        var error = #expect(throws: KafkaError.self) { try Producer(settings) }
        #expect(error?.problem.suggestion == "check tls.ca")
        settings.security = .saslSSL
        settings.user = "symbolist"
        error = #expect(throws: KafkaError.self) { try Producer(settings) }
        #expect(error?.problem.suggestion == "check sasl.password_file and sasl.user")
        settings.passwordFile = "/none/password"
        error = #expect(throws: KafkaError.self) { try Producer(settings) }
        #expect(
            error?.description == """
                /none/password: cannot be read: No such file or directory: check \
                sasl.password_file
                """)
    }

    @Test("a missing library is an error with a next step")
    func noLibrary() {
        let error = #expect(throws: KafkaError.self) {
            try LibRDKafka(path: "librdkafka-missing.so.1")
        }
        #expect(error?.reason == .libraryUnavailable)
        #expect(
            error?.description == """
                kafka: librdkafka cannot be loaded: librdkafka-missing.so.1: cannot open shared \
                object file: No such file or directory: install it, as with 'apt install \
                librdkafka1'
                """)
    }

    @Test("a setting that librdkafka refuses is an error, without the password")
    func invalidSetting() throws {
        let folder = try TestFolder()
        let file = folder.url.appendingPathComponent("password")
        try Data("a-secret\n".utf8).write(to: file)
        var settings = KafkaSettings(brokers: "kafka:9092")
        settings.security = .saslPlaintext
        settings.user = "symbolist"
        settings.passwordFile = file.path
        settings.properties = ["compression.type": "none-such"]
        let error = #expect(throws: KafkaError.self) { try Producer(settings) }
        #expect(error?.reason == .invalidSettings)
        #expect(error?.description.contains("a-secret") == false)
    }
}
