"""Protobuf's wire format, as far as OTLP log records need it, without generated classes or packages."""

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, content):
    """Returns a field of text, or of an encoded message."""
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | BYTES) + varint(len(content)) + content


def fields(message):
    """Returns the fields of a message as pairs of number and value: bytes, or an integer."""
    place = 0

    def read_varint():
        nonlocal place
        number = shift = 0
        while True:
            byte = message[place]
            place += 1
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return number

    while place < len(message):
        key = read_varint()
        kind = key & 7
        if kind == VARINT:
            yield key >> 3, read_varint()
            continue
        size = {FIXED64: 8, FIXED32: 4}.get(kind) or read_varint()
        yield key >> 3, message[place:place + size]
        place += size


def all_of(message, number):
    return [value for key, value in fields(message) if key == number]


def attribute(key, text):
    """Returns a `KeyValue` with a text."""
    return field(1, key) + field(2, field(1, text))


def value(any_value):
    """Returns an `AnyValue` as Python value: elements for arrays, `None` for bytes and key lists."""
    for key, content in fields(any_value):
        if key == 1:
            return content.decode()
        if key == 2:
            return bool(content)
        if key == 3:
            return content
        if key == 5:
            return [value(element) for element in all_of(content, 1)]
    return None


def attributes(pairs):
    found = {}
    for pair in pairs:
        key, content = all_of(pair, 1), all_of(pair, 2)
        if key and content:
            found[key[0].decode()] = value(content[0])
    return found


def log_records(request):
    """Returns the records of an `ExportLogsServiceRequest` with resource, attributes and event name."""
    for resource_logs in all_of(request, 1):
        resource = [pair for part in all_of(resource_logs, 1) for pair in all_of(part, 1)]
        for scope_logs in all_of(resource_logs, 2):
            for record in all_of(scope_logs, 2):
                event = all_of(record, 12)
                yield {
                    "resource": attributes(resource),
                    "event": event[0].decode() if event else "",
                    "attributes": attributes(all_of(record, 6)),
                }


def logs_request(service, event, pairs):
    """Returns an `ExportLogsServiceRequest` with one record."""
    record = b"".join(field(6, attribute(*pair)) for pair in pairs) + field(12, event)
    scope_logs = field(1, field(1, "MetricKit")) + field(2, record)
    resource = field(1, attribute("service.name", service))
    return field(1, field(1, resource) + field(2, scope_logs))
