"""A client of grpcio whose messages are too long, and who asks for the health of the service.

overlong.py ADDRESS LIMIT: LIMIT is the largest message that the service takes, in bytes. Ends with 1
where a call ends with another status than it should.
"""

import sys

import grpc

EXPORT = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"
HEALTH = "/grpc.health.v1.Health/"
ROUNDS = 20


def plain(data):
    return data


def status(channel, body, compression=None, method=EXPORT):
    call = channel.unary_unary(method, request_serializer=plain, response_deserializer=plain)
    try:
        call(body, timeout=60, compression=compression)
    except grpc.RpcError as error:
        return error.code().name
    return "OK"


def open_channel(address):
    return grpc.insecure_channel(address, options=[("grpc.max_send_message_length", -1)])


def statuses(address, limit):
    """What each call ends with, and what it should end with."""
    with open_channel(address) as channel:
        for number in range(ROUNDS):
            yield status(channel, bytes(limit + 1 + number * 10_000)), "RESOURCE_EXHAUSTED"
        call = channel.unary_unary(EXPORT, request_serializer=plain, response_deserializer=plain)
        for future in [call.future(bytes(4 * limit), timeout=60) for _ in range(ROUNDS)]:
            yield future.exception().code().name, "RESOURCE_EXHAUSTED"
        for compression in (grpc.Compression.Gzip, grpc.Compression.Deflate):
            yield status(channel, bytes(4 * limit), compression), "RESOURCE_EXHAUSTED"
            yield status(channel, b"\x0a\x00", compression), "OK"
        yield status(channel, b"\x0a\x00"), "OK"
        yield status(channel, b"", method=HEALTH + "Check"), "OK"
        yield status(channel, b"\x0a\x01x", method=HEALTH + "Check"), "NOT_FOUND"
        watch = channel.unary_stream(
            HEALTH + "Watch", request_serializer=plain, response_deserializer=plain)
        yield next(watch(b"", timeout=60)), b"\x08\x01"
    for _ in range(ROUNDS):
        with open_channel(address) as channel:
            yield status(channel, bytes(8 * limit)), "RESOURCE_EXHAUSTED"


def main(address, limit):
    wrong = [pair for pair in statuses(address, int(limit)) if pair[0] != pair[1]]
    for got, wanted in wrong:
        print(f"ended with {got}, not with {wanted}")
    sys.exit(1 if wrong else 0)


main(*sys.argv[1:])
