/** A model whose output names files, and a server that has them. */
import * as fs from "node:fs"
import * as path from "node:path"
import type { RequestListener } from "node:http"
import { Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as Money from "#domain/Money.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import { exactly } from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { testModel } from "#test/support/TestModels.ts"
import { TestProvider } from "#test/support/TestProvider.ts"

/** A picture of text, PNG. */
export const picture = fs.readFileSync(
  path.join(import.meta.dirname, "../../../../../fixtures/images/text.png")
)

/** Two requested pictures. */
export const gallery = testModel("test/gallery", {
  price: { unit: "image", unitPrice: Money.NanoUsd.make(3_000_000n), minimumCharge: Money.zero },
  quantities: () => exactly(Money.units(2)),
  outputSchema: {
    type: "object",
    properties: {
      images: {
        type: "array",
        items: {
          type: "object",
          properties: { url: { type: "string", format: "uri" }, note: { type: "string" } },
          required: ["url"],
          additionalProperties: false
        }
      }
    },
    required: ["images"],
    additionalProperties: false
  }
})

export const delivered = (output: Json, count = 2): ProviderOutcome => ({
  _tag: "Succeeded",
  output,
  delivered: Money.units(count)
})

/** Submits a request whose run returns pictures at `urls`. */
export const ended = Effect.fnUntraced(function* (urls: ReadonlyArray<string>, count = 2) {
  const provider = yield* TestProvider
  const id = yield* Facts.submit({ model: gallery })
  const run = yield* provider.next
  yield* run.ends(delivered({ images: urls.map((url) => ({ url, note: "a note" })) }, count))
  return id
})

/** Lets Node perform its input and output, which the test clock does not control. */
export const nextTurn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

/** Answers every path with the picture, unless `answer` does. Returns its address and the number of calls. */
export const server = Effect.fnUntraced(function* (
  answer: (...call: [...Parameters<RequestListener>, number]) => boolean = () => false
) {
  let calls = 0
  const { port } = yield* Receiver.https((request, response) => {
    calls += 1
    if (answer(request, response, calls)) return
    response.writeHead(200, { "content-type": "text/html" }).end(picture)
  })
  return { url: `https://receiver.example.com:${port}`, calls: () => calls }
})
