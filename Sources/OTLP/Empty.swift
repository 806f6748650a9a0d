// OTLP
