import * as Family from "#src/platform/telemetry/metrics/Family.ts"

export const manifestErrors = Family.gauge({
  name: "inferlog_manifest_errors",
  labels: [],
  help: "Errors in the manifests of MODELS_DIR; what they are about stays as it was published"
})
