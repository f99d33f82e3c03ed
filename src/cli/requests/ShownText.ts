import * as Money from "#domain/Money.ts"
import type { ShownPayload, ShownRequest } from "#src/edges/admin/requests/RequestOperations.ts"
import * as Output from "#src/cli/Output.ts"

/** `null` for a payload that is not stored; its state tells why. */
const payload = ({ state, text }: ShownPayload) => ({
  state,
  json: text === null ? null : (JSON.parse(text) as unknown)
})

export const forPrograms = (shown: ShownRequest) => ({
  ...shown,
  createdAt: Output.time(shown.createdAt),
  startedAt: Output.timeOrNull(shown.startedAt),
  endedAt: Output.timeOrNull(shown.endedAt),
  billing: shown.billing && {
    status: shown.billing.status,
    amount: Money.format(shown.billing.amount),
    units: Money.formatQuantity(shown.billing.units)
  },
  timeline: shown.timeline.map((step) => ({ ...step, time: Output.time(step.time) })),
  payloads: shown.payloads && {
    input: payload(shown.payloads.input),
    output: payload(shown.payloads.output),
    logs: shown.payloads.logs
  }
})

const bytes = (ref: ShownRequest["output"]) => (ref === null ? null : `${Output.count(ref.size)} bytes`)

const billed = ({ billing }: ShownRequest): string | null =>
  billing === null
    ? null
    : `$${Money.format(billing.amount)} (${billing.status}, ${Money.formatQuantity(billing.units)} units)`

const facts = (shown: ShownRequest): ReadonlyArray<readonly [string, string | null]> => [
  ["model", `${shown.model} (${shown.modelVersion})`],
  ["account", shown.accountId],
  ["key", shown.keyId],
  ["status", shown.status],
  ["outcome", shown.outcome],
  ["error", shown.error],
  ...shown.violations.map(
    ({ instancePath, message }) => ["violation", `${instancePath || "/"} ${message}`] as const
  ),
  ["created", Output.time(shown.createdAt)],
  ["started", Output.timeOrNull(shown.startedAt)],
  ["ended", Output.timeOrNull(shown.endedAt)],
  ["run", shown.inferenceMs === null ? null : Output.milliseconds(shown.inferenceMs)],
  ["runs so far", String(shown.runs)],
  ["progress", shown.progress === null ? null : `${Math.round(shown.progress * 100)} %`],
  ["cost", billed(shown)],
  ...Object.entries(shown.metadata).map(([name, value]) => ["metadata", `${name}=${value}`] as const),
  ["webhook", shown.webhook && `${shown.webhook.url} (${shown.webhook.events.join(", ")})`],
  ["input", bytes(shown.input)],
  ["output", bytes(shown.output)],
  ["response URL", shown.urls.response_url],
  ["status URL", shown.urls.status_url],
  ["cancel URL", shown.urls.cancel_url]
]

const timeline = (shown: ShownRequest): string =>
  Output.table(
    ["POSITION", "TIME", "EVENT", ""],
    shown.timeline.map(({ facts, position, time, type }) => [
      position,
      Output.time(time),
      type,
      Object.entries(facts)
        .map(([name, value]) => `${name}=${fact(name, value)}`)
        .join(" ")
    ])
  )

const fact = (name: string, value: unknown): string => {
  if (name === "dueAt" && typeof value === "number") return Output.time(value)
  return typeof value === "string" ? value : JSON.stringify(value)
}

const section = (title: string, body: string): string => `\n\n${title}\n${Output.printableLines(body)}`

const payloadSection = (title: string, { state, text }: ShownPayload): string =>
  section(title, text === null ? `(${state})` : JSON.stringify(JSON.parse(text), null, 2))

export const forPeople = (shown: ShownRequest): string => {
  const text = `${Output.facts(["request", shown.requestId], facts(shown))}\n\n${timeline(shown)}`
  if (shown.payloads === null) return text
  const { input, logs, output } = shown.payloads
  return (
    text +
    payloadSection("INPUT", input) +
    payloadSection("OUTPUT", output) +
    (logs.length === 0 ? "" : section("LOGS", logs.join("\n")))
  )
}
