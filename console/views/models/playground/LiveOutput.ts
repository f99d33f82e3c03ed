/** The output of a run as far as it is made: chunks of the output stream, added up as the model's `stream` says. */
import type { Json } from "#domain/CanonicalJson.ts"
import { isList, isRecord } from "#console/views/result/JsonShape.ts"

/** How the chunks of a model add up (the catalog's `stream`); `null`: the output comes whole. */
export type StreamKind = "text" | "items" | "last" | "openai" | null

export interface LiveOutput {
  readonly kind: StreamKind
  /** Texts of chunks that are joined: of `text`, and of the first choice of `openai`. */
  readonly text: string
  /** The output so far; `undefined` before the first chunk. Of `text` and `openai` it is `text`. */
  readonly value: Json | undefined
  readonly chunks: number
}

export const empty = (kind: StreamKind): LiveOutput => ({ kind, text: "", value: undefined, chunks: 0 })

/** What a chunk of OpenAI's API adds to the first choice. */
const saidBy = (chunk: Json): string => {
  const choice = isRecord(chunk) && isList(chunk["choices"]) ? chunk["choices"][0] : undefined
  if (!isRecord(choice)) return ""
  const delta = choice["delta"]
  const said = isRecord(delta) ? delta["content"] : choice["text"]
  return typeof said === "string" ? said : ""
}

export const add = (live: LiveOutput, chunk: Json): LiveOutput => {
  const { chunks, kind, text, value } = live
  const next = { kind, chunks: chunks + 1 }
  switch (kind) {
    case "text": {
      const joined = text + (typeof chunk === "string" ? chunk : JSON.stringify(chunk))
      return { ...next, text: joined, value: joined }
    }
    case "openai": {
      const joined = text + saidBy(chunk)
      return { ...next, text: joined, value: joined }
    }
    case "items":
      return { ...next, text, value: [...(isList(value) ? value : []), chunk] }
    case "last":
    case null:
      return { ...next, text, value: chunk }
  }
}
