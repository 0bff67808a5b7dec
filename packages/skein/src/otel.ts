// OpenTelemetry spans.
export * from '@skein/core/otel';
