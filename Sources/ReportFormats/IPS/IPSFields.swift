import CallStacks
import JSONText

extension [ReportField: String] {
    /// The fields in an `.ips` report besides details and stacks.
    ///
    /// - Parameter header: The header line before the body.
    init(ipsBody body: JSONValue, header: JSONValue?) {
        self = [:]
        self[.incident] = body["incident"]?.nonEmpty ?? header?["incident_id"]?.nonEmpty
        self[.reporterKey] = body["crashReporterKey"]?.nonEmpty
        self[.process] = body.numbered("procName", number: "pid") ?? header?["name"]?.nonEmpty
        self[.path] = body["procPath"]?.nonEmpty
        self[.codeType] = body["cpuType"]?.nonEmpty.map {
            "\($0) (\(body["translated"]?.bool == true ? "Translated" : "Native"))"
        }
        self[.role] = body["procRole"]?.nonEmpty
        self[.parentProcess] = body.numbered("parentProc", number: "parentPid")
        self[.coalition] = body.numbered("coalitionName", number: "coalitionID")
        self[.responsible] = body.numbered("responsibleProc", number: "responsiblePid")
        self[.userID] = body["userID"]?.unsigned.map(String.init)
        self[.launchTime] = body["procLaunch"]?.nonEmpty
        self[.releaseType] = body["osVersion"]?["releaseType"]?.nonEmpty
        self[.basebandVersion] = body["basebandVersion"]?.nonEmpty
        self[.sleepWake] = body["sleepWakeUUID"]?.nonEmpty
        self[.timeAwake] = body["uptime"]?.unsigned.map { "\($0) seconds" }
        self[.timeSinceWake] = body["wakeTime"]?.unsigned.map { "\($0) seconds" }
        self[.integrityProtection] = body["sip"]?.nonEmpty
        self[.exceptionCodes] = body["exception"]?["codes"]?.nonEmpty
        let exception = body["exception"]
        self[.exceptionMessage] = exception?["message"]?.nonEmpty
        self[.exceptionNote] = body.exceptionNote
        self[.terminationDescription] = body["termination"]?.terminationDescription
        self[.terminatingProcess] = body["termination"]?.numbered("byProc", number: "byPid")
        self[.kernelTriage] = body["ktriageinfo"]?.nonEmpty
    }
}

extension JSONValue {
    /// The description of a termination besides its codes.
    fileprivate var terminationDescription: String? {
        let lists = ["reasons", "details"].compactMap { self[$0] }
        let lines = lists.flatMap { $0.elements.prefix(100).compactMap(\.nonEmpty) }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    fileprivate var exceptionNote: String? {
        if self["isNonFatal"]?.bool == true || self["isNonFatal"]?.unsigned == 1 {
            return "NON-FATAL CONDITION (this is NOT a crash)"
        }
        return self["isCorpse"]?.bool == true || self["isCorpse"]?.unsigned == 1
            ? "EXC_CORPSE_NOTIFY" : nil
    }

    /// Returns `launchd [1]` for a name and a number. Either may be missing.
    fileprivate func numbered(_ name: String, number: String) -> String? {
        guard let name = self[name]?.nonEmpty else { return nil }
        return self[number]?.unsigned.map { "\(name) [\($0)]" } ?? name
    }
}
