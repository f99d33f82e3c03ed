/** Submits: the input with its files, and the options as headers (docs/start/requests.md). */
import { Files } from "./Files.ts"
import { type Exchange, type Http, modelPath } from "./Http.ts"
import type { CallOptions, CallScope } from "./Scope.ts"
import type { WebhookEventName } from "./Wire.ts"

export interface SubmitOptions extends CallOptions {
  /** HTTPS address that gets the events of the request. */
  readonly webhook?: string | undefined
  /** Default: `["completed"]`. */
  readonly webhookEvents?: ReadonlyArray<WebhookEventName> | undefined
  /** At most 16 texts, 2 KiB in all. They are never erased: no personal data. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  /** Submits under the same key are one request, for 24 hours. Default: a random one for each call. */
  readonly idempotencyKey?: string | undefined
  /** The request expires if no run has started by then, in ms, rounded up to seconds. */
  readonly startTimeout?: number | undefined
  /** The request expires if it has not ended by then, in ms, rounded up to seconds. */
  readonly cancelAfter?: number | undefined
}

const seconds = (ms: number | undefined) => (ms === undefined ? undefined : `${Math.ceil(ms / 1_000)}`)

/** Headers are ASCII. */
const asciiJson = (value: unknown) =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

const isContainer = (value: unknown): value is Readonly<Record<string, unknown>> | ReadonlyArray<unknown> =>
  Array.isArray(value) ||
  (typeof value === "object" &&
    value !== null &&
    [null, Object.prototype].includes(Object.getPrototypeOf(value) as object | null))

/** The value with files as their URLs. What has none is the same object. A file that is there twice is uploaded once. */
const uploaded = async (http: Http, value: unknown, scope: CallScope): Promise<unknown> => {
  const urls = new Map<Blob, Promise<string>>()
  const find = (value: unknown) => {
    if (value instanceof Blob && !urls.has(value)) {
      urls.set(value, new Files(http).upload(value, { signal: scope.signal }))
    } else if (isContainer(value)) Object.values(value).forEach(find)
  }
  find(value)
  if (urls.size === 0) return value
  const found = new Map<unknown, string>()
  await Promise.all([...urls].map(async ([blob, url]) => found.set(blob, await url)))
  const replace = (value: unknown): unknown =>
    found.get(value) ??
    (Array.isArray(value)
      ? value.map(replace)
      : isContainer(value)
        ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replace(each)]))
        : value)
  return replace(value)
}

/** The exchange that submits, always under an idempotency key. Uploads the input's files first. */
export const submission = async (
  http: Http,
  model: string,
  input: unknown,
  options: SubmitOptions,
  scope: CallScope
): Promise<Exchange & { readonly headers: Readonly<Record<string, string | undefined>> }> => {
  const path = modelPath(model)
  const { webhook, webhookEvents: events } = options
  const fields = (await uploaded(http, input, scope)) as Readonly<Record<string, unknown>>
  return {
    method: "POST",
    host: "queue",
    path,
    json: {
      ...fields,
      ...(webhook !== undefined && { webhook }),
      ...(events !== undefined && { webhook_events_filter: events })
    },
    headers: {
      "idempotency-key": options.idempotencyKey ?? crypto.randomUUID(),
      "x-request-metadata": options.metadata && asciiJson(options.metadata),
      "x-request-start-timeout": seconds(options.startTimeout),
      "cancel-after": seconds(options.cancelAfter)
    }
  }
}
