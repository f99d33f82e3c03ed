/** Adds up the chunks of a run to its output, for protocols that do not send the output at the end. */
import { isDeepStrictEqual } from "node:util"
import { isList, type Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { StreamKind } from "#domain/catalog/Model.ts"
import * as GrowingText from "#src/kernel/text/GrowingText.ts"

/** `openai` has an assembly of its own, because only its protocol has such chunks. */
export type PlainKind = Exclude<StreamKind, "openai">

export interface OutputAssembly {
  /**
   * Why the run has failed: the chunk is not of the kind, or the output becomes too large. `null`: neither. `scalar`: the text of
   * a chunk that cannot remember it.
   */
  readonly take: (chunk: Json, scalar?: string | null) => "not_of_kind" | "too_large" | null
  /** What the chunks add up to; `null` before the first chunk of `last`. */
  readonly output: () => JsonText.Spelled
  /** The number of chunks. */
  readonly size: () => number
  /** Forgets all chunks. */
  readonly restart: () => void
}

/** The most characters of an output, like those of a plain answer, and the most items. */
const mostCharacters = 32 * 1024 * 1024
const mostItems = 1_000_000

/** Characters that the chunk adds to the output. Escapes of a text among items count as they are written. */
const lengthOf = (chunk: Json, scalar: string | null): number => {
  if (scalar !== null) return scalar.length
  return typeof chunk === "string" ? chunk.length : JsonText.write(chunk).length
}

const nothing: JsonText.Spelled = { value: null, scalar: null }

export const make = (kind: PlainKind): OutputAssembly => {
  let size = 0
  /** Characters so far. */
  let length = 0
  let text = GrowingText.make()
  let items: Array<JsonText.Spelled> = []
  let last: JsonText.Spelled = nothing

  const add = (chunk: Json, scalar: string | null) => {
    if (kind === "text") text.add(String(chunk))
    else if (kind === "items") items.push({ value: chunk, scalar })
    else last = { value: chunk, scalar }
  }

  const outputs: Readonly<Record<PlainKind, () => JsonText.Spelled>> = {
    text: () => ({ value: text.text(), scalar: null }),
    items: () => ({ value: JsonText.listOf(items), scalar: null }),
    last: () => last
  }

  return {
    take: (chunk, scalar = null) => {
      if (kind === "text" && typeof chunk !== "string") return "not_of_kind"
      const added = lengthOf(chunk, kind === "text" ? null : scalar)
      length = kind === "last" ? added : length + added
      if (length > mostCharacters || (kind === "items" && size >= mostItems)) return "too_large"
      size++
      add(chunk, scalar)
      return null
    },
    output: outputs[kind],
    size: () => size,
    restart: () => {
      size = 0
      length = 0
      text = GrowingText.make()
      items = []
      last = nothing
    }
  }
}

/** An output in the form that chunks of the kind add up to: the parts of a text may come as a list. */
export const formed = (kind: PlainKind, output: Json): Json =>
  kind === "text" && isList(output) && output.every((part) => typeof part === "string")
    ? output.join("")
    : output

/** Chunks that have to follow those that add up to `made`; `null` if the output does not begin with that. */
export const restOf = (
  kind: PlainKind,
  made: Json,
  output: JsonText.Spelled
): ReadonlyArray<JsonText.Spelled> | null => {
  const { value } = output
  if (kind === "last") return [output]
  if (kind === "items")
    return isList(made) && isList(value) && isDeepStrictEqual(value.slice(0, made.length), made)
      ? JsonText.entries(value).slice(made.length)
      : null
  if (typeof made !== "string" || typeof value !== "string" || !value.startsWith(made)) return null
  return value === made ? [] : [{ value: value.slice(made.length), scalar: null }]
}
