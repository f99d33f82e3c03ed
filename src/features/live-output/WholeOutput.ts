/** Shows the output of a request when it has ended, and its progress until then. */
import { Effect, Layer } from "effect"
import type { StreamKind } from "#domain/catalog/Model.ts"
import type { Json } from "#domain/CanonicalJson.ts"
import { isTerminal } from "#domain/inference-request/State.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { Requests, type Snapshot } from "#src/features/requests/Requests.ts"
import { type Chunk, LiveOutput } from "./LiveOutput.ts"

/** How long to wait for a change before the request is read again, ms. */
const lookMs = 60_000

/** The output in the form of its chunks. */
const chunksOf = (kind: StreamKind | null, output: Json): ReadonlyArray<Json> =>
  kind === "items" && Array.isArray(output) ? output : [output]

const chunk = (value: Json, index: number): Chunk => ({ id: `end-${index + 1}`, text: JSON.stringify(value) })

export const layer = Layer.effect(
  LiveOutput,
  Effect.gen(function* () {
    const requests = yield* Requests
    const catalog = yield* Catalog

    const kindOf = ({ request }: Snapshot) =>
      Effect.map(catalog.find(request.submitted.model), (entry) => entry?.model.output?.stream ?? null)

    const follow: LiveOutput["Service"]["follow"] = Effect.fnUntraced(function* ({ reader, snapshot }) {
      let shown = snapshot
      let told: number | null = null
      while (!isTerminal(shown.request.phase)) {
        const { version } = shown
        shown = yield* requests.waitUntil(shown, (now) => now.version !== version, lookMs)
        const { progress = null } = shown.request
        if (progress !== null && progress !== told) reader.progress(progress)
        told = progress
      }
      const { output } = yield* requests
        .payloads(shown, { input: false })
        .pipe(Effect.orElseSucceed(() => ({ output: null })))
      if (output === null) return shown
      for (const [index, value] of chunksOf(yield* kindOf(shown), output).entries()) {
        if (!reader.chunk(chunk(value, index))) yield* reader.ready
      }
      return shown
    })

    return LiveOutput.of({ follow, kindOf })
  })
)
