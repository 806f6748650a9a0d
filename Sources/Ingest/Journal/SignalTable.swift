/// One value for each signal.
public struct SignalTable<Value> {
    public var logs: Value
    public var traces: Value
    public var metrics: Value

    public init(logs: Value, traces: Value, metrics: Value) {
        self.logs = logs
        self.traces = traces
        self.metrics = metrics
    }

    public subscript(signal: Signal) -> Value {
        get {
            switch signal {
            case .logs: logs
            case .traces: traces
            case .metrics: metrics
            }
        }
        // Changes a value in place; a setter would copy its arrays.
        _modify {
            switch signal {
            case .logs: yield &logs
            case .traces: yield &traces
            case .metrics: yield &metrics
            }
        }
    }

    public var values: [Value] { [logs, traces, metrics] }
}

extension SignalTable: Sendable where Value: Sendable {}
extension SignalTable: Equatable where Value: Equatable {}
extension SignalTable: Hashable where Value: Hashable {}
