-- The load script of wrk: sends the requests in the file REQUESTS in a loop, each thread starting at
-- another one. Requests are built once, so that wrk itself costs little.
local threads = 0

function setup(thread)
    thread:set("number", threads)
    threads = threads + 1
end

function init()
    local file = assert(io.open(os.getenv("REQUESTS"), "rb"))
    local headers = { ["Content-Type"] = "application/x-protobuf" }
    requests = {}
    for line in function() return file:read("*l") end do
        local body = file:read(tonumber(line))
        requests[#requests + 1] = wrk.format("POST", "/v1/logs", headers, body)
    end
    file:close()
    last = number * 37 % #requests
end

function request()
    last = last % #requests + 1
    return requests[last]
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        '\nLOAD {"requests":%d,"seconds":%.6f,"refused":%d,"broken":%d,"p50":%.3f,"p99":%.3f}\n',
        summary.requests, summary.duration / 1e6, errors.status,
        errors.connect + errors.read + errors.write + errors.timeout,
        latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
