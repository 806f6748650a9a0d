/// Metric payloads of the sample app, in the form of `MXMetricPayload.jsonRepresentation()`, with
/// invented values.
public enum OrchardMetrics {
    /// Returns a day of one device, with the watched metrics.
    ///
    /// - Parameters:
    ///   - firstDraw: Times to first draw in milliseconds, each with its number of measurements.
    ///   - end: `2026-11-20 23:59:00 +0000`
    public static func day(
        version: String, app: String = "com.example.orchard", firstDraw: [(Int, Int)] = [],
        hangs: [(Int, Int)]? = nil, foregroundMinutes: Int? = nil, end: String,
        spansSeveralVersions: Bool = false, note: String = ""
    ) -> String {
        var members = [
            #""timeStampBegin": "2026-11-01 00:00:00 +0000""#, #""timeStampEnd": "\#(end)""#,
            #""appVersion": "\#(version)""#,
            #""metaData": {"bundleIdentifier": "\#(app)", "deviceType": "Pear7,3\#(note)"}"#,
        ]
        if spansSeveralVersions { members.append(#""multipleAppVersions": "1""#) }
        if !firstDraw.isEmpty {
            members.append(
                #""applicationLaunchMetrics": {"histogrammedTimeToFirstDrawKey": \#(histogram(firstDraw))}"#
            )
        }
        if let hangs {
            members.append(
                #""applicationResponsivenessMetrics": {"histogrammedAppHangTime": \#(histogram(hangs))}"#
            )
        }
        if let foregroundMinutes {
            members.append(
                #""applicationTimeMetrics": {"cumulativeForegroundTime": "\#(foregroundMinutes) min"}"#
            )
        }
        return "{\(members.joined(separator: ", "))}"
    }

    /// Returns a histogram; the given value of each bucket is its middle.
    public static func histogram(_ buckets: [(milliseconds: Int, count: Int)]) -> String {
        let texts = buckets.enumerated().map { index, bucket in
            let (low, high) = (bucket.milliseconds - 5, bucket.milliseconds + 5)
            return
                #""\#(index)": {"bucketCount": \#(bucket.count), "bucketStart": "\#(low) ms", "bucketEnd": "\#(high) ms"}"#
        }
        return
            #"{"histogramNumBuckets": \#(buckets.count), "histogramValue": {\#(texts.joined(separator: ", "))}}"#
    }

    /// A payload with everything that the instrumentation sends, and two signposts.
    public static let everything = """
        {
          "timeStampBegin": "2026-11-20 00:00:00 +0000",
          "timeStampEnd": "2026-11-20 23:59:00 +0000",
          "appVersion": "1.4.0",
          "multipleAppVersions": "1",
          "metaData": {
            "appBuildVersion": "217", "deviceType": "Pear7,3",
            "osVersion": "iPhone OS 18.1 (22B83)", "regionFormat": "CH",
            "platformArchitecture": "arm64e", "bundleIdentifier": "com.example.orchard",
            "isTestFlightApp": true, "lowPowerModeEnabled": false, "pid": 4711
          },
          "applicationLaunchMetrics": {
            "histogrammedTimeToFirstDrawKey": {
              "histogramNumBuckets": 2,
              "histogramValue": {
                "0": {"bucketCount": 2, "bucketStart": "0 ms", "bucketEnd": "100 ms"},
                "1": {"bucketCount": 2, "bucketStart": "100 ms", "bucketEnd": "300 ms"}
              }
            },
            "histogrammedResumeTime": \(histogram([(200, 3), (300, 1)])),
            "histogrammedOptimizedTimeToFirstDrawKey": \(histogram([(640, 5)])),
            "histogrammedExtendedLaunch": \(histogram([(1_500, 1), (2_500, 1)]))
          },
          "applicationResponsivenessMetrics": {
            "histogrammedAppHangTime": \(histogram([(400, 3), (800, 1)]))
          },
          "cellularConditionMetrics": {
            "cellConditionTime": {
              "histogramNumBuckets": 2,
              "histogramValue": {
                "0": {"bucketCount": 20, "bucketStart": "1 bars", "bucketEnd": "1 bars"},
                "1": {"bucketCount": 60, "bucketStart": "3 bars", "bucketEnd": "3 bars"}
              }
            }
          },
          "locationActivityMetrics": {
            "cumulativeBestAccuracyTime": "20 sec",
            "cumulativeBestAccuracyForNavigationTime": "21 sec",
            "cumulativeNearestTenMetersAccuracyTime": "22 sec",
            "cumulativeHundredMetersAccuracyTime": "23 sec",
            "cumulativeKilometerAccuracyTime": "24 sec",
            "cumulativeThreeKilometersAccuracyTime": "25 sec"
          },
          "networkTransferMetrics": {
            "cumulativeWifiUpload": "60,000 kB", "cumulativeWifiDownload": "90,000 kB",
            "cumulativeCellularUpload": "80,000 kB", "cumulativeCellularDownload": "1 MB"
          },
          "applicationExitMetrics": {
            "foregroundExitData": {
              "cumulativeNormalAppExitCount": 1, "cumulativeMemoryResourceLimitExitCount": 2,
              "cumulativeBadAccessExitCount": 3, "cumulativeAbnormalExitCount": 4,
              "cumulativeIllegalInstructionExitCount": 5, "cumulativeAppWatchdogExitCount": 6
            },
            "backgroundExitData": {
              "cumulativeNormalAppExitCount": 7, "cumulativeMemoryResourceLimitExitCount": 8,
              "cumulativeCPUResourceLimitExitCount": 9,
              "cumulativeMemoryPressureExitCount": 10, "cumulativeBadAccessExitCount": 11,
              "cumulativeAbnormalExitCount": 12, "cumulativeIllegalInstructionExitCount": 13,
              "cumulativeAppWatchdogExitCount": 14,
              "cumulativeSuspendedWithLockedFileExitCount": 15,
              "cumulativeBackgroundTaskAssertionTimeoutExitCount": 16
            }
          },
          "animationMetrics": {"scrollHitchTimeRatio": "4 ms per s"},
          "applicationTimeMetrics": {
            "cumulativeForegroundTime": "1,800 sec", "cumulativeBackgroundTime": "40 sec",
            "cumulativeBackgroundAudioTime": "30 sec",
            "cumulativeBackgroundLocationTime": "35 sec"
          },
          "cpuMetrics": {
            "cumulativeCPUTime": "100 sec", "cumulativeCPUInstructions": "102 kiloinstructions"
          },
          "gpuMetrics": {"cumulativeGPUTime": "19 sec"},
          "diskIOMetrics": {"cumulativeLogicalWrites": "1,300 kB"},
          "memoryMetrics": {
            "peakMemoryUsage": "200,000 kB",
            "averageSuspendedMemory": {
              "averageValue": "100,000 kB", "standardDeviation": 0, "sampleCount": 500
            }
          },
          "displayMetrics": {
            "averagePixelLuminance": {
              "averageValue": "50 apl", "standardDeviation": -1, "sampleCount": 500
            }
          },
          "signpostMetrics": [
            {
              "signpostName": "pick", "signpostCategory": "harvest", "totalSignpostCount": 31,
              "signpostIntervalData": {
                "signpostCumulativeCPUTime": "12,000 ms", "signpostAverageMemory": "90,000 kB",
                "signpostCumulativeLogicalWrites": "400 kB",
                "signpostCumulativeHitchTimeRatio": "7 ms per s",
                "histogrammedSignpostDurations": \(histogram([(50, 31)]))
              }
            },
            {"signpostName": "press", "signpostCategory": "cider", "totalSignpostCount": 2}
          ]
        }
        """
}
