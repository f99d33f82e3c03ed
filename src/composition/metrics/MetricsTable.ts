/** The table of all metrics, as it stands in `docs/operators/monitoring.md`. */
import * as AllMetrics from "./AllMetrics.ts"
import type { Described } from "#src/platform/telemetry/metrics/Family.ts"

const row = ({ help, labels, name, type }: Described): string =>
  `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${help} |`

export const markdown = [
  "| Metric | Type | Labels | Says |",
  "|---|---|---|---|",
  ...AllMetrics.all.map(row)
].join("\n")
