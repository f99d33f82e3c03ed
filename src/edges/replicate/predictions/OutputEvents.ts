/** The frames of a prediction's stream: `output` with text, `error`, `done` (WHATWG HTML, 9.2). */
import { Deferred, Effect } from "effect"
import { isList, type Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { StreamKind } from "#domain/catalog/Model.ts"
import type { OutputReader } from "#src/features/live-output/LiveOutput.ts"
import type { Snapshot } from "#src/features/requests/Requests.ts"
import * as ResultView from "#src/features/requests/views/ResultView.ts"
import type { Urls } from "#src/kernel/settings/PublicUrls.ts"
import type { EventStream } from "#src/edges/http/edge/EventStream.ts"

/** A line of data for each line of the text, because a line break ends a field. */
const frame = (event: string, text: string, id?: string): string => {
  const data = text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`)
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\n${data.join("")}\n`
}

const textOf = (value: Json): string => (typeof value === "string" ? value : JsonText.writeLine(value))

/** Of a model without `output.stream`, each item of a list is an event, as there. */
const textsOf = (kind: StreamKind | null, chunk: Json): ReadonlyArray<string> =>
  kind === null && isList(chunk) ? JsonText.items(chunk).map(textOf) : [textOf(chunk)]

const begunAgain = frame(
  "error",
  JSON.stringify({
    detail: "The run was lost and its output begins again: what was sent does not count. Read the prediction."
  })
)

/** Without it the client would take what it has for the whole output. An `EventSource` connects again by itself. */
export const cutOff = frame(
  "error",
  JSON.stringify({
    detail: "The stream was cut off, and the prediction goes on: read it, or resume at the URL of its stream."
  })
)

interface Reading {
  readonly reader: OutputReader
  /** Completes when the output began again after this client had a part of it, which it was told. */
  readonly lost: Effect.Effect<void>
}

/** @param isResumed whether the client already has a part of the output. */
export const make = (
  { ready, write }: EventStream,
  { isResumed, kind }: { readonly isResumed: boolean; readonly kind: StreamKind | null }
): Reading => {
  const lost = Deferred.makeUnsafe<void>()
  let hasPart = isResumed
  let isLost = false
  return {
    lost: Deferred.await(lost),
    reader: {
      chunk: ({ id, text }) => {
        if (isLost) return true
        hasPart = true
        const texts = textsOf(kind, JsonText.parse(text))
        const last = texts.length - 1
        // A client resumes after the whole chunk.
        return write(
          texts.map((one, index) => frame("output", one, index === last ? id : undefined)).join("")
        )
      },
      // The client has no event for it, and would join both outputs.
      restart: () => {
        if (!hasPart || isLost) return
        isLost = true
        write(begunAgain)
        Deferred.doneUnsafe(lost, Effect.void)
      },
      progress: () => {},
      ready
    }
  }
}

const canceled = frame("done", JSON.stringify({ reason: "canceled" }))

const noPayloads = { input: null, output: null }

/** The last events of an ended prediction. */
export const done = (urls: Pick<Urls, "mediaUrl">, ended: Snapshot): string => {
  const { details, error, outcome } = ResultView.result(urls, ended, noPayloads)
  switch (outcome) {
    case "succeeded":
    case "pending":
      return frame("done", "{}")
    case "partial":
      return ended.request.isCut === true ? canceled : frame("done", "{}")
    case "cancelled":
    case "expired":
      return canceled
    case "invalid_output":
    case "provider_failed":
    case "failed":
      return (
        frame("error", JSON.stringify({ detail: error ?? "The prediction failed.", details })) +
        frame("done", JSON.stringify({ reason: "error" }))
      )
  }
}

export const example =
  frame("output", "Hel", "1-k3f-1") + frame("output", "lo\nyou", "1-k3f-2") + frame("done", "{}")
