/** Erases the payloads and files of a request. Its events stay (architecture, "Payloads are not events"). */
import { Result } from "effect"
import type { Command, Rejection } from "./Command.ts"
import type { Event } from "./Event.ts"
import { isTerminal, type Request } from "./State.ts"
import { inlineLimit } from "../PayloadRef.ts"

export const erase = (
  { at, reason }: Extract<Command, { readonly _tag: "Erase" }>,
  state: Request
): Result.Result<ReadonlyArray<Event>, Rejection> => {
  if (!isTerminal(state.phase)) return Result.fail({ _tag: "RequestNotEnded" })
  if (state.erasure !== null) return Result.succeed([])
  const erased = payloadsOf(state)
  // The body of a webhook is in another stream. It is erased afterwards, like files.
  const isOutside =
    erased.some(({ ref }) => ref.size > inlineLimit) ||
    filesOf(state).length > 0 ||
    state.submitted.webhook !== undefined
  return Result.succeed([
    { _tag: "PayloadsErased", at, reason, erased: erased.map(({ name }) => name), hasFiles: isOutside }
  ])
}

/** Every payload in the events of the request. */
export const payloadsOf = ({ output, rawOutput, submitted }: Request) => [
  { name: "input", ref: submitted.payloads.input },
  ...(rawOutput === null ? [] : [{ name: "output", ref: rawOutput }]),
  ...(output === null || output.name === "output" ? [] : [output])
]

/** Every file that was, or may have been, stored for the request. Files of others that its output names stay. */
export const filesOf = ({ media, plannedMedia }: Request): ReadonlyArray<string> => {
  const planned = plannedMedia.flatMap(({ fileId, thumbnailId }) => [fileId, thumbnailId])
  const owned = media
    .filter(({ owned }) => owned)
    .flatMap(({ fileId, thumbnailId }) => (thumbnailId === null ? [fileId] : [fileId, thumbnailId]))
  return [...new Set([...planned, ...owned])]
}
