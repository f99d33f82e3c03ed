/** The output of a model as it is made, on stdout (docs/apps/streams.md, "The output as it is made"). */
import { Effect, Predicate, type Stdio, Stream } from "effect"
import type { StreamKind } from "#clients/typescript/Wire.ts"
import * as Output from "#src/cli/Output.ts"
import * as Stdout from "#src/cli/Stdout.ts"

export interface LiveOutput {
  /** Takes the next chunk. Calls `begin` before the first text. */
  readonly chunk: (data: unknown, begin: Effect.Effect<void>) => Effect.Effect<void, never, Stdio.Stdio>
  /** The output begins again. */
  readonly restart: Effect.Effect<void, never, Stdio.Stdio>
  /** Ends the last line. Returns whether the output has been written. */
  readonly end: Effect.Effect<boolean, never, Stdio.Stdio>
}

const first = (value: unknown): unknown =>
  Array.isArray(value) ? (value as ReadonlyArray<unknown>)[0] : undefined

/** The text in a chunk of OpenAI's chats and completions. */
const deltaOf = (data: unknown): string => {
  const choice = Predicate.isObject(data) ? first(data["choices"]) : undefined
  if (!Predicate.isObject(choice)) return ""
  const { delta, text } = choice
  const content = Predicate.isObject(delta) ? delta["content"] : text
  return typeof content === "string" ? content : ""
}

/** The text that a chunk adds to stdout; `null` for kinds whose output is only printed at the end, also those of later releases. */
const textOf = (kind: StreamKind | null, data: unknown): string | null => {
  if (kind === "text") return typeof data === "string" ? Output.printableText(data) : ""
  if (kind === "openai") return Output.printableText(deltaOf(data))
  return kind === "items" ? `${Output.jsonText(data)}\n` : null
}

export const make = (kind: StreamKind | null): LiveOutput => {
  let hasText = false
  let isLineOpen = false
  const write = (text: string) => {
    hasText = true
    isLineOpen = !text.endsWith("\n")
    return Stdout.write(Stream.make(text))
  }
  const endLine = Effect.suspend(() => (isLineOpen ? write("\n") : Effect.void))
  return {
    chunk: (data, begin) => {
      const text = textOf(kind, data)
      return text === null || text === "" ? Effect.void : Effect.andThen(begin, write(text))
    },
    restart: Effect.map(endLine, () => {
      hasText = false
    }),
    end: Effect.map(endLine, () => hasText)
  }
}
