import * as Family from "#src/platform/telemetry/metrics/Family.ts"

export const manifestErrors = Family.gauge(
  "inferlog_manifest_errors",
  "Errors in the manifests of MODELS_DIR; the items concerned stay as they were published"
)
