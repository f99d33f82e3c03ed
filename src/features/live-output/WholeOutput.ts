/** The output of an ended request in the form of its chunks, for readers who have not had all of them. */
import { isList, type Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { StreamKind } from "#domain/catalog/Model.ts"
import type { Chunk } from "./LiveOutput.ts"

/** In the place of a run's name. */
export const run = "end"

/** Each item of `items`, else the output as one chunk. */
export const chunksOf = (kind: StreamKind | null, output: Json): ReadonlyArray<Chunk> => {
  const values: ReadonlyArray<Json> = kind === "items" && isList(output) ? JsonText.items(output) : [output]
  return values.map((value, index) => ({ id: `${run}-${index + 1}`, text: JsonText.writeLine(value) }))
}
