"""Encodes OTLP export requests as protobuf, with the fields that the load needs."""

LENGTH_DELIMITED, FIXED_64, VARINT = 2, 1, 0


def request(resource: dict, scope: str, records: list[bytes]) -> bytes:
    """Returns an `ExportLogsServiceRequest` with one resource and one scope."""
    scope_logs = _message(1, _text(1, scope)) + b"".join(_message(2, r) for r in records)
    return _message(1, _message(1, _attributes(1, resource)) + _message(2, scope_logs))


def record(nanoseconds: int, attributes: dict, event: str = "", body: str = "") -> bytes:
    """Returns a `LogRecord`."""
    time = nanoseconds.to_bytes(8, "little")
    parts = [_tag(1, FIXED_64) + time, _tag(11, FIXED_64) + time]
    if body:
        parts += [_tag(2, VARINT) + _varint(9), _text(3, "INFO"), _message(5, _text(1, body))]
    if event:
        parts.append(_text(12, event))
    return b"".join(parts) + _attributes(6, attributes)


def _attributes(field: int, values: dict) -> bytes:
    return b"".join(
        _message(field, _text(1, key) + _message(2, _value(value)))
        for key, value in values.items())


def _value(value: str | int) -> bytes:
    if isinstance(value, str):
        return _text(1, value)
    return _tag(3, VARINT) + _varint(value)


def _text(field: int, text: str) -> bytes:
    return _message(field, text.encode())


def _message(field: int, content: bytes) -> bytes:
    return _tag(field, LENGTH_DELIMITED) + _varint(len(content)) + content


def _tag(field: int, wire_type: int) -> bytes:
    return _varint(field << 3 | wire_type)


def _varint(value: int) -> bytes:
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(groups + bytes([value]))
