/** Submits: the input with its files, and the options as headers (docs/start/requests.md). */
import { modelPath } from "./Addresses.ts"
import * as Source from "./files/Source.ts"
import * as Upload from "./files/Upload.ts"
import type { Exchange, Http } from "./Http.ts"
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

/** 128 random bits. Pages that come by plain http have no `randomUUID`. */
export const randomKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-")

/** JSON of the value with the URLs of its files in their places. Each file is uploaded once, however often the value has it. */
const withFiles = async (http: Http, value: unknown, scope: CallScope): Promise<string> => {
  const urls = new Map<Blob, string>()
  const text = JSON.stringify(value, (_, each: unknown) => {
    if (each instanceof Blob) urls.set(each, "")
    return each
  })
  if (urls.size === 0) return text
  const upload = async (blob: Blob) => urls.set(blob, await Upload.run(http, Source.make(blob), {}, scope))
  await Promise.all([...urls.keys()].map(upload))
  return JSON.stringify(value, (_, each: unknown) => (each instanceof Blob ? urls.get(each) : each))
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
  const fields = {
    ...(input as Readonly<Record<string, unknown>>),
    ...(webhook !== undefined && { webhook }),
    ...(events !== undefined && { webhook_events_filter: events })
  }
  return {
    method: "POST",
    host: "queue",
    path,
    text: await withFiles(http, fields, scope),
    headers: {
      "idempotency-key": options.idempotencyKey ?? randomKey(),
      "x-request-metadata": options.metadata && asciiJson(options.metadata),
      "x-request-start-timeout": seconds(options.startTimeout),
      "cancel-after": seconds(options.cancelAfter)
    }
  }
}
