"""Sends a log request with grpcio, and prints the status of the call and whether it says when to
send again.

export.py ADDRESS BODY: BODY is the request in Base64.
"""

import base64
import sys

import grpc

EXPORT = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"


def plain(data):
    return data


def main(address, body):
    with grpc.insecure_channel(address) as channel:
        call = channel.unary_unary(EXPORT, request_serializer=plain, response_deserializer=plain)
        try:
            call(base64.b64decode(body), timeout=120)
        except grpc.RpcError as error:
            keys = [key for key, _ in error.trailing_metadata() or ()]
            print(error.code().name, "grpc-status-details-bin" in keys)
            return
    print("OK")


main(*sys.argv[1:])
